/**
 * How evenly slices share work (the paper's table 1): average work of a slice / work of the busiest slice, both summed
 * over phases. Slices wait for each other after every phase, so the busiest one of each phase counts.
 */
export class WorkBalance {
  #total = 0;
  #longest = 0;
  #slices = 1;

  /** Work of every slice in one phase; zeros count too. */
  add(work: ArrayLike<number>): void {
    let most = 0;
    for (let i = 0; i < work.length; i++) {
      this.#total += work[i]!;
      most = Math.max(most, work[i]!);
    }
    this.#longest += most;
    this.#slices = work.length;
  }

  /** Work of all slices together. */
  get total(): number {
    return this.#total;
  }

  /** Work on the critical path: what one thread per slice would have to wait for. */
  get longest(): number {
    return this.#longest;
  }

  /** 1 when all slices always did the same. */
  get efficiency(): number {
    return this.#longest === 0 ? 1 : this.#total / (this.#slices * this.#longest);
  }
}
