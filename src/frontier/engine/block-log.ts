import { StoreCorruptError } from "../../errors.ts";
import type { BlockAnswer, Engine, InsertBlock, SettleBlock } from "./engine.ts";

/** A server that syncs its file every second, or has a replica, has not lost what it confirmed so long ago. */
const KEEP_MS = 60_000;
/** Between two questions whether what was confirmed is on disk, where the engine can say that. */
const SYNC_MS = 1000;
/** Between two questions whether the engine still has what it confirmed. */
const CHECK_MS = 2000;

type Block = InsertBlock | SettleBlock;
export type NewBlock = Omit<InsertBlock, "number"> | Omit<SettleBlock, "number">;

/** What becomes of a block. */
export interface BlockListener {
  /** Its first answer, which is never a gap. */
  onAnswer(answer: BlockAnswer): void;
  /** It leaves with this number. */
  onNumbered?(number: number): void;
  /** Ends that were accepted are not any more: the engine had forgotten them, and their lease is another's by now. */
  onRevoked?(): void;
}

interface Entry {
  block: Block;
  readonly listener: BlockListener;
  /** Its ends were refused once: it goes without them from then on, and nobody is told again. */
  isLate: boolean;
  /** When it was confirmed; undefined before. */
  doneMs: number | undefined;
  /** In which life of the engine, as far as that is known, and how often it had been asked for a sync by then. */
  life: string | undefined;
  askedSyncs: number;
}

/** The blocks of one partition. */
interface Lane {
  readonly entries: Entry[];
  next: number;
  /** Highest number confirmed. */
  confirmed: number;
  /** Answers to blocks that were sent before the last resending tell nothing about gaps. */
  attempt: number;
}

/**
 * Numbers the blocks of a producer and sends them. Blocks stay here until the engine has confirmed them and cannot have
 * lost them again: what it has not reached is sent again, and what it has reached changes nothing.
 */
export class BlockLog {
  readonly #engine: Engine;
  readonly #lanes = new Map<number, Lane>();
  /** URLs of settle blocks that are still here and were accepted. */
  readonly #settled = new Set<string>();
  #unconfirmed = 0;
  #nowMs = 0;
  #checkedMs = 0;
  #isChecking = false;
  #syncMs = 0;
  #askedSyncs = 0;
  /** The last sync that the engine has confirmed, and in which life: what it had answered before in this life is safe. */
  #sureSync = 0;
  #life: string | undefined;
  #isSyncing = false;
  /** Blocks that were sent again. */
  resent = 0;
  /** Partitions that were being moved. */
  readonly #frozen = new Set<Lane>();

  readonly #onFallback: (partition: number) => void;

  /** `onFallback` is told of partitions in which the engine has lost what it had confirmed. */
  constructor(engine: Engine, onFallback: (partition: number) => void = () => {}) {
    this.#engine = engine;
    this.#onFallback = onFallback;
  }

  /** The engine has accepted the end of this URL a short while ago: handed out again, it has forgotten that and will be told. */
  hasSettled(decimal: string): boolean {
    return this.#settled.has(decimal);
  }

  /** Blocks without an answer. */
  get unconfirmed(): number {
    return this.#unconfirmed;
  }

  /** Nothing is here that the engine might have lost. */
  get isEmpty(): boolean {
    return [...this.#lanes.values()].every(({ entries }) => entries.length === 0);
  }

  send(block: NewBlock, listener: BlockListener): void {
    const lane = this.#laneOf(block.partition);
    listener.onNumbered?.(lane.next);
    const entry: Entry = {
      block: { ...block, number: lane.next++ } as Block,
      listener,
      isLate: false,
      doneMs: undefined,
      life: undefined,
      askedSyncs: 0,
    };
    lane.entries.push(entry);
    this.#unconfirmed++;
    this.#send(lane, entry);
  }

  /** Forgets what is safe, and asks again where a partition was being moved. */
  tidy(nowMs: number): void {
    this.#nowMs = nowMs;
    for (const lane of [...this.#frozen]) {
      this.#frozen.delete(lane);
      this.#resend(lane, lane.confirmed);
    }
    this.#askForSync(nowMs);
    const isSynced = ({ life, askedSyncs }: Entry) =>
      life !== undefined && life === this.#life && askedSyncs < this.#sureSync;
    const isSafe = (entry: Entry) => isSynced(entry) || nowMs - entry.doneMs! > KEEP_MS;
    for (const { entries } of this.#lanes.values()) {
      const undone = entries.findIndex(({ doneMs }) => doneMs === undefined);
      const done = undone < 0 ? entries : entries.slice(0, undone);
      // The engine took them in one after the other: what it had before a block that is safe is safe as well.
      for (const { block } of entries.splice(0, 1 + done.findLastIndex(isSafe)))
        if (block.kind === "settle")
          for (const { decimal } of block.urls) this.#settled.delete(decimal);
    }
  }

  /** From time to time asks the engine how far it has come; where it has fallen back, everything after that goes again. */
  check(nowMs: number): void {
    if (this.#isChecking || nowMs - this.#checkedMs < CHECK_MS) return;
    this.#checkedMs = nowMs;
    this.#isChecking = true;
    this.compare(() => {
      this.#isChecking = false;
    });
  }

  /** Asks how far the engine has come; answers whether it has everything that it has confirmed. */
  compare(onAnswer: (isWhole: boolean) => void): void {
    const lanes = [...this.#lanes].filter(([, { entries }]) => entries.length > 0);
    if (lanes.length === 0) {
      onAnswer(true);
      return;
    }
    const confirmed = lanes.map(([, lane]) => lane.confirmed);
    const numbers = lanes.map(([partition]) => partition);
    this.#engine.reached(numbers, (reached) => {
      let isWhole = true;
      for (const [i, [partition, lane]] of lanes.entries()) {
        if (reached[i]! >= confirmed[i]!) continue;
        isWhole = false;
        this.#resend(lane, reached[i]!);
        this.#onFallback(partition);
      }
      onAnswer(isWhole);
    });
  }

  #askForSync(nowMs: number): void {
    if (this.#isSyncing || nowMs - this.#syncMs < SYNC_MS) return;
    if (![...this.#lanes.values()].some(({ entries }) => entries.length > 0)) return;
    this.#isSyncing = true;
    this.#syncMs = nowMs;
    const sync = ++this.#askedSyncs;
    this.#engine.synced((life) => {
      this.#isSyncing = false;
      if (life === undefined) return;
      this.#sureSync = sync;
      this.#life = life;
    });
  }

  #laneOf(partition: number): Lane {
    let lane = this.#lanes.get(partition);
    if (lane === undefined) {
      lane = { entries: [], next: 1, confirmed: 0, attempt: 0 };
      this.#lanes.set(partition, lane);
    }
    return lane;
  }

  #send(lane: Lane, entry: Entry): void {
    const { attempt } = lane;
    this.#engine.send(entry.block, (answer) => this.#answered(lane, entry, attempt, answer));
  }

  #answered(lane: Lane, entry: Entry, attempt: number, answer: BlockAnswer): void {
    if (answer.kind === "gap") {
      if (attempt === lane.attempt) this.#resend(lane, answer.reached);
      return;
    }
    if (answer.kind === "frozen") {
      this.#frozen.add(lane);
      return;
    }
    lane.confirmed = Math.max(lane.confirmed, entry.block.number);
    // A block that is known was accepted, and the answer to that was lost.
    if (entry.block.kind === "settle")
      for (const { decimal } of entry.block.urls)
        if (answer.kind === "late") this.#settled.delete(decimal);
        else this.#settled.add(decimal);
    const isFirst = entry.doneMs === undefined;
    entry.doneMs = this.#nowMs;
    entry.life = this.#life;
    entry.askedSyncs = this.#askedSyncs;
    if (answer.kind === "late" && entry.block.kind === "settle" && !entry.isLate) {
      entry.isLate = true;
      // What this holder has given up must not be accepted when a rollback has the engine forget why.
      entry.block = { ...entry.block, urls: [] };
      if (!isFirst) entry.listener.onRevoked?.();
    }
    if (!isFirst) return;
    this.#unconfirmed--;
    entry.listener.onAnswer(answer);
  }

  #resend(lane: Lane, reached: number): void {
    lane.attempt++;
    const all = [...lane.entries];
    const first = all[0]?.block.number ?? lane.next;
    if (first > reached + 1)
      throw new StoreCorruptError(
        `the engine has lost what it had on disk, or more than the last ${KEEP_MS / 1000} s: block ${reached + 1} is no longer here`,
      );
    for (const entry of all) {
      if (entry.block.number <= reached) continue;
      this.resent++;
      this.#send(lane, entry);
    }
  }
}
