import type { BlockLog } from "./block-log.ts";

/**
 * The blocks of a thread under all names that it has had. A holder that was given up is not heard any more, but what it had
 * told the engine may be lost by a power loss that comes afterwards, and nobody else can send it again.
 */
export class BlockLogs {
  #current: BlockLog;
  readonly #former = new Set<BlockLog>();

  constructor(current: BlockLog) {
    this.#current = current;
  }

  get current(): BlockLog {
    return this.#current;
  }

  /** From now on under another name. */
  begin(log: BlockLog): void {
    this.#former.add(this.#current);
    this.#current = log;
  }

  /** Blocks without an answer. */
  get unconfirmed(): number {
    return this.#all.reduce((sum, { unconfirmed }) => sum + unconfirmed, 0);
  }

  /** Nothing is here that the engine might have lost. */
  get isEmpty(): boolean {
    return this.#all.every(({ isEmpty }) => isEmpty);
  }

  /** Forgets what is safe. */
  tidy(nowMs: number): void {
    for (const log of this.#all) log.tidy(nowMs);
    for (const log of this.#former) if (log.isEmpty) this.#former.delete(log);
  }

  /** From time to time asks the engine how far it has come, and sends again what it has lost. */
  check(nowMs: number): void {
    for (const log of this.#all) log.check(nowMs);
  }

  /** Asks how far the engine has come; answers whether it has everything that it has confirmed. */
  compare(onAnswer: (isWhole: boolean) => void): void {
    const all = this.#all;
    let waiting = all.length;
    let areWhole = true;
    for (const log of all)
      log.compare((isWhole) => {
        areWhole &&= isWhole;
        if (--waiting === 0) onAnswer(areWhole);
      });
  }

  get #all(): BlockLog[] {
    return [this.#current, ...this.#former];
  }
}
