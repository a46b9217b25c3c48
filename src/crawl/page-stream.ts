import type { Page } from "../config/page-handler.ts";

interface Offer {
  readonly page: Page;
  /** True when the page was seen, false when nobody will. */
  readonly answer: (wasSeen: boolean) => void;
}

interface Waiter {
  readonly resolve: (result: IteratorResult<Page, undefined>) => void;
  readonly reject: (fault: unknown) => void;
}

const DONE: IteratorResult<Page, undefined> = { done: true, value: undefined };

/**
 * Pages one by one, as fast as they are asked for. A page counts as seen, and may be committed, when the next one is asked
 * for: so one that a program was working on when it died is there again after a resume.
 */
export class PageStream implements AsyncIterableIterator<Page, undefined> {
  /** Called when nobody wants more; settles when everything that was seen is committed. */
  readonly #stop: () => Promise<unknown>;
  readonly #offers: Offer[] = [];
  readonly #waiters: Waiter[] = [];
  #given: Offer[] = [];
  #end: { readonly fault?: unknown } | undefined;

  constructor(stop: () => Promise<unknown>) {
    this.#stop = stop;
  }

  /** A page; settles when it was seen, or nobody will see it. */
  offer(page: Page): Promise<boolean> {
    if (this.#end !== undefined) return Promise.resolve(false);
    return new Promise((answer) => {
      this.#offers.push({ page, answer });
      this.#give();
    });
  }

  /** The crawl has ended, with a fault or without. */
  close(end: { readonly fault?: unknown } = {}): void {
    this.#end ??= end;
    for (const { answer } of this.#offers.splice(0)) answer(false);
    this.#give();
  }

  next(): Promise<IteratorResult<Page, undefined>> {
    this.#seen();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#give();
    });
  }

  async return(): Promise<IteratorResult<Page, undefined>> {
    this.#seen();
    this.close();
    await this.#stop();
    return DONE;
  }

  async throw(fault: unknown): Promise<never> {
    await this.return();
    throw fault;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #seen(): void {
    for (const { answer } of this.#given.splice(0)) answer(true);
  }

  #give(): void {
    while (this.#waiters.length > 0) {
      const offer = this.#offers.shift();
      if (offer === undefined && this.#end === undefined) return;
      const { resolve, reject } = this.#waiters.shift()!;
      if (offer !== undefined) {
        this.#given.push(offer);
        resolve({ done: false, value: offer.page });
        continue;
      }
      const { fault } = this.#end!;
      // A fault is told once, as iterators do.
      this.#end = {};
      if (fault === undefined) resolve(DONE);
      else reject(fault);
    }
  }
}
