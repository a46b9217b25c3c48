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

/** A call on its way: executing it answers what brings its answer to the caller. */
type Call = () => () => void;
type OnAnswer<T> = (answer: T) => void;

/** A connection as ioredis keeps it: in order, and what has no answer when it breaks is sent again. */
export class DelayedLink {
  readonly #calls: Call[] = [];
  readonly #answers: { readonly call: Call; readonly deliver: () => void }[] = [];

  /** Calls that the engine has not executed. */
  get waiting(): number {
    return this.#calls.length;
  }

  /** Answers that the caller has not got. */
  get answered(): number {
    return this.#answers.length;
  }

  push(call: Call): void {
    this.#calls.push(call);
  }

  /** The engine executes the next calls. */
  execute(count = this.#calls.length): void {
    for (const call of this.#calls.splice(0, count)) this.#answers.push({ call, deliver: call() });
  }

  /** The next answers arrive. */
  deliver(count = this.#answers.length): void {
    for (const { deliver } of this.#answers.splice(0, count)) deliver();
  }

  /** Answers are lost with the connection, and their calls go again. */
  break(): void {
    this.#calls.unshift(...this.#answers.splice(0).map(({ call }) => call));
  }
}

/** An engine whose calls and answers wait in a link. */
export class DelayedEngine implements Engine {
  readonly #engine: Engine;
  readonly #link: DelayedLink;

  constructor(engine: Engine, link: DelayedLink) {
    this.#engine = engine;
    this.#link = link;
  }

  get holder(): string {
    return this.#engine.holder;
  }

  get partitions(): number {
    return this.#engine.partitions;
  }

  claim(claim: Claim, onAnswer: OnAnswer<ClaimAnswer>): void {
    this.#later((on: OnAnswer<ClaimAnswer>) => this.#engine.claim(claim, on), onAnswer);
  }

  extract(wanted: Extract, onAnswer: OnAnswer<ExtractAnswer>): void {
    this.#later((on: OnAnswer<ExtractAnswer>) => this.#engine.extract(wanted, on), onAnswer);
  }

  send(block: InsertBlock | SettleBlock, onAnswer: OnAnswer<BlockAnswer>): void {
    this.#later((on: OnAnswer<BlockAnswer>) => this.#engine.send(block, on), onAnswer);
  }

  step(wanted: StepWanted, onAnswer: OnAnswer<StepAnswer>): void {
    this.#later((on: OnAnswer<StepAnswer>) => this.#engine.step(wanted, on), onAnswer);
  }

  arrive(arrival: Arrival, onAnswer: OnAnswer<BarrierAnswer>): void {
    this.#later((on: OnAnswer<BarrierAnswer>) => this.#engine.arrive(arrival, on), onAnswer);
  }

  chill(wanted: Chill, onAnswer: OnAnswer<ColdLinks | undefined>): void {
    this.#later((on: OnAnswer<ColdLinks | undefined>) => this.#engine.chill(wanted, on), onAnswer);
  }

  pack(block: Pack, onAnswer: OnAnswer<boolean>): void {
    this.#later((on: OnAnswer<boolean>) => this.#engine.pack(block, on), onAnswer);
  }

  unpack(block: Unpack, onAnswer: OnAnswer<boolean>): void {
    this.#later((on: OnAnswer<boolean>) => this.#engine.unpack(block, on), onAnswer);
  }

  memory(onAnswer: OnAnswer<number>): void {
    this.#later((on: OnAnswer<number>) => this.#engine.memory(on), onAnswer);
  }

  release(claim: Claim, onAnswer: () => void): void {
    this.#later((on: OnAnswer<void>) => this.#engine.release(claim, () => on()), onAnswer);
  }

  fence(partition: number, holder: string, onAnswer: OnAnswer<number | undefined>): void {
    this.#later(
      (on: OnAnswer<number | undefined>) => this.#engine.fence(partition, holder, on),
      onAnswer,
    );
  }

  beat(about: string, isLeaving: boolean, onAnswer: OnAnswer<BeatAnswer>): void {
    this.#later((on: OnAnswer<BeatAnswer>) => this.#engine.beat(about, isLeaving, on), onAnswer);
  }

  permits(totals: PermitTotals, wanted: number, onAnswer: OnAnswer<PermitAnswer>): void {
    this.#later((on: OnAnswer<PermitAnswer>) => this.#engine.permits(totals, wanted, on), onAnswer);
  }

  bury(holder: string, pages: number, onAnswer: () => void): void {
    this.#later((on: OnAnswer<void>) => this.#engine.bury(holder, pages, () => on()), onAnswer);
  }

  addFacts(facts: readonly Buffer[], onAnswer: () => void): void {
    this.#later((on: OnAnswer<void>) => this.#engine.addFacts(facts, () => on()), onAnswer);
  }

  factsFrom(index: number, onAnswer: OnAnswer<readonly Buffer[]>): void {
    this.#later((on: OnAnswer<readonly Buffer[]>) => this.#engine.factsFrom(index, on), onAnswer);
  }

  counts(onAnswer: OnAnswer<readonly PartitionCounts[]>): void {
    this.#later((on: OnAnswer<readonly PartitionCounts[]>) => this.#engine.counts(on), onAnswer);
  }

  reached(partitions: readonly number[], onAnswer: OnAnswer<readonly number[]>): void {
    this.#later(
      (on: OnAnswer<readonly number[]>) => this.#engine.reached(partitions, on),
      onAnswer,
    );
  }

  floor(call: FloorCall, onAnswer: OnAnswer<FloorAnswer>): void {
    this.#later((on: OnAnswer<FloorAnswer>) => this.#engine.floor(call, on), onAnswer);
  }

  keep(partition: number, name: string, bytes: Uint8Array): void {
    this.#link.push(() => {
      this.#engine.keep(partition, name, bytes);
      return () => {};
    });
  }

  recall(partition: number, name: string, onAnswer: OnAnswer<Buffer | undefined>): void {
    this.#later(
      (on: OnAnswer<Buffer | undefined>) => this.#engine.recall(partition, name, on),
      onAnswer,
    );
  }

  /** On a connection of its own, which is not repeated when it breaks. */
  synced(onAnswer: OnAnswer<string | undefined>): void {
    this.#engine.synced(onAnswer);
  }

  flushed(onAnswer: OnAnswer<string | undefined>): void {
    this.#engine.flushed(onAnswer);
  }

  wake(partition: number): void {
    this.#link.push(() => {
      this.#engine.wake(partition);
      return () => {};
    });
  }

  #later<T>(ask: (on: OnAnswer<T>) => void, onAnswer: OnAnswer<T>): void {
    this.#link.push(() => {
      let deliver = () => {};
      ask((answer) => {
        // Answers are objects of the model: what they were when they left the engine is what arrives.
        deliver = () => onAnswer(answer);
      });
      return deliver;
    });
  }
}
