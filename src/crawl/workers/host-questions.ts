import type { RunningWorker } from "../../runtime/run-worker.ts";
import type { ToCrawler } from "../crawler/crawler-message.ts";
import { type HostLine, type HostPage, mergeLines } from "../crawler/host-list.ts";
import { type HostQuestion, type HostRanks, mergeRanks } from "../crawler/host-ranking.ts";

/** A thread that does not answer in this time is left out: it may have died. */
const PATIENCE_MS = 2000;

/** Asks all crawlers about their hosts, and gathers what they answer. */
export class HostQuestions {
  #number = 0;
  readonly #open = new Map<number, (answer: HostRanks | HostLine[]) => void>();

  /** First everybody ranks names, which are short; then those that are shown are described. */
  async page(
    crawlers: readonly RunningWorker[],
    question: HostQuestion,
    hasOwners: boolean,
  ): Promise<HostPage> {
    const ranks = await this.#ask<HostRanks>(crawlers, (number) => {
      return { kind: "rankHosts", number, question };
    });
    const total = ranks.reduce((sum, thread) => sum + thread.total, 0);
    const names = mergeRanks(ranks, question, hasOwners);
    if (names.length === 0) return { total, hosts: [] };
    const lines = await this.#ask<HostLine[]>(crawlers, (number) => {
      return { kind: "describeHosts", number, names };
    });
    return { total, hosts: mergeLines(names, lines.flat()) };
  }

  async #ask<T extends HostRanks | HostLine[]>(
    crawlers: readonly RunningWorker[],
    messageOf: (number: number) => ToCrawler,
  ): Promise<T[]> {
    const number = ++this.#number;
    const answers: T[] = [];
    if (crawlers.length === 0) return answers;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.#open.set(number, (answer) => {
        answers.push(answer as T);
        if (answers.length < crawlers.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const { worker } of crawlers) worker.postMessage(messageOf(number));
    });
    this.#open.delete(number);
    return answers;
  }

  answered(number: number, answer: HostRanks | HostLine[]): void {
    this.#open.get(number)?.(answer);
  }
}
