import type {
  Arrival,
  BarrierAnswer,
  BeatAnswer,
  BlockAnswer,
  Chill,
  Claim,
  ClaimAnswer,
  ColdLinks,
  Engine,
  Extract,
  ExtractAnswer,
  FloorAnswer,
  FloorCall,
  InsertBlock,
  Pack,
  PartitionCounts,
  PermitAnswer,
  PermitTotals,
  SettleBlock,
  StepAnswer,
  StepWanted,
  Unpack,
} from "../../frontier/engine/engine.ts";
import type { ScriptModel } from "./script-model.ts";

/** The model as one holder calls it; answers come before the call returns. */
export class ModelEngine implements Engine {
  readonly model: ScriptModel;
  readonly holder: string;

  constructor(model: ScriptModel, holder: string) {
    this.model = model;
    this.holder = holder;
  }

  get partitions(): number {
    return this.model.rules.partitions;
  }

  claim(claim: Claim, onAnswer: (answer: ClaimAnswer) => void): void {
    onAnswer(this.model.claim(this.holder, claim));
  }

  extract(wanted: Extract, onAnswer: (answer: ExtractAnswer) => void): void {
    onAnswer(this.model.extract(wanted));
  }

  send(block: InsertBlock | SettleBlock, onAnswer: (answer: BlockAnswer) => void): void {
    onAnswer(this.model.send(this.holder, block));
  }

  step(wanted: StepWanted, onAnswer: (answer: StepAnswer) => void): void {
    onAnswer(this.model.step(this.holder, wanted));
  }

  arrive(arrival: Arrival, onAnswer: (answer: BarrierAnswer) => void): void {
    onAnswer(this.model.arrive(this.holder, arrival));
  }

  chill(wanted: Chill, onAnswer: (answer: ColdLinks | undefined) => void): void {
    onAnswer(this.model.chill(wanted));
  }

  pack(block: Pack, onAnswer: (isPacked: boolean) => void): void {
    onAnswer(this.model.pack(block));
  }

  unpack(block: Unpack, onAnswer: (isDone: boolean) => void): void {
    onAnswer(this.model.unpack(block));
  }

  memory(onAnswer: (bytes: number) => void): void {
    onAnswer(this.model.usedBytes);
  }

  release(claim: Claim, onAnswer: () => void): void {
    this.model.release(claim);
    onAnswer();
  }

  fence(partition: number, holder: string, onAnswer: (pages: number | undefined) => void): void {
    onAnswer(this.model.fence(partition, holder));
  }

  beat(about: string, isLeaving: boolean, onAnswer: (answer: BeatAnswer) => void): void {
    onAnswer(this.model.beat(this.holder, about, isLeaving));
  }

  permits(totals: PermitTotals, wanted: number, onAnswer: (answer: PermitAnswer) => void): void {
    onAnswer(this.model.permits(this.holder, totals, wanted));
  }

  bury(holder: string, pages: number, onAnswer: () => void): void {
    this.model.bury(holder, pages);
    onAnswer();
  }

  addFacts(facts: readonly Buffer[], onAnswer: () => void): void {
    this.model.facts.push(...facts);
    onAnswer();
  }

  factsFrom(index: number, onAnswer: (facts: readonly Buffer[]) => void): void {
    onAnswer(this.model.facts.slice(index));
  }

  counts(onAnswer: (counts: readonly PartitionCounts[]) => void): void {
    onAnswer(this.model.counts(this.holder));
  }

  reached(partitions: readonly number[], onAnswer: (numbers: readonly number[]) => void): void {
    onAnswer(partitions.map((one) => this.model.partitions[one]!.reached.get(this.holder) ?? 0));
  }

  floor(call: FloorCall, onAnswer: (answer: FloorAnswer) => void): void {
    onAnswer(this.model.floor(call));
  }

  keep(partition: number, name: string, bytes: Uint8Array): void {
    this.model.partitions[partition]!.kept.set(name, bytes);
  }

  recall(partition: number, name: string, onAnswer: (bytes: Buffer | undefined) => void): void {
    const bytes = this.model.partitions[partition]!.kept.get(name);
    onAnswer(bytes && Buffer.from(bytes));
  }

  synced(onAnswer: (life: string | undefined) => void): void {
    this.model.synced(onAnswer);
  }

  flushed(onAnswer: (life: string | undefined) => void): void {
    this.model.flushed(this.holder, onAnswer);
  }

  wake(partition: number): void {
    for (const waker of this.model.wakers) waker(partition);
  }
}
