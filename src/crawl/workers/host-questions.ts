import type { RunningWorker } from "../../runtime/run-worker.ts";
import type { HostPage, HostQuestion } from "../crawler/host-list.ts";

/** A thread that does not answer in this time is left out: it may have died. */
const PATIENCE_MS = 2000;

/** Asks all crawlers about their hosts, and gathers what they answer. */
export class HostQuestions {
  #number = 0;
  readonly #open = new Map<number, (page: HostPage) => void>();

  async ask(crawlers: readonly RunningWorker[], question: HostQuestion): Promise<HostPage[]> {
    const number = ++this.#number;
    const pages: HostPage[] = [];
    if (crawlers.length === 0) return pages;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.#open.set(number, (page) => {
        pages.push(page);
        if (pages.length < crawlers.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const { worker } of crawlers) worker.postMessage({ kind: "askHosts", number, question });
    });
    this.#open.delete(number);
    return pages;
  }

  answered(number: number, page: HostPage): void {
    this.#open.get(number)?.(page);
  }
}
