/** Credits of one commit batch, merged per target: a menu of a thousand pages costs its targets one credit each. */
export class CreditBatch<Target> {
  readonly #amounts = new Map<Target, number>();
  #total = 0;

  /** Sum of all credits. */
  get total(): number {
    return this.#total;
  }

  get targets(): number {
    return this.#amounts.size;
  }

  /** Nothing is kept of a credit of 0. Answers what the target has been credited in all. */
  add(target: Target, amount: number): number {
    if (amount === 0) return 0;
    const sum = (this.#amounts.get(target) ?? 0) + amount;
    this.#amounts.set(target, sum);
    this.#total += amount;
    return sum;
  }

  /** Takes all credits out, in the order in which their targets were first added. */
  take(): [Target, number][] {
    const all = [...this.#amounts];
    this.#amounts.clear();
    this.#total = 0;
    return all;
  }
}
