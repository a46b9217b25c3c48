import { readLines } from "../../store/files/read-file.ts";
import type { PageLine } from "../../store/lists/page-line.ts";

/** Pages in the report. */
const TOP = 100;
/** The cash in a line of pages.jsonl. It stands at the end of the line, where no text of a page can imitate it. */
const CASH = /,"cash":(\d+),"priority":[^,"]+\}$/;

/** A page as reports/top-pages.json lists it. */
export type TopPage = Pick<PageLine, "url" | "title" | "depth" | "cash" | "priority">;

/** The pages that were fetched with the most cash, richest first. */
export function topPages(pagesFile: string, count = TOP): TopPage[] {
  let best: { cash: number; line: string }[] = [];
  let minCash = -1;
  const keepBest = () => {
    best = best.sort((a, b) => b.cash - a.cash).slice(0, count);
    if (best.length === count) minCash = best.at(-1)!.cash;
  };
  for (const line of readLines(pagesFile)) {
    const cash = Number(CASH.exec(line)?.[1] ?? -1);
    if (cash <= minCash) continue;
    best.push({ cash, line });
    if (best.length >= 2 * count) keepBest();
  }
  keepBest();
  return best.map(({ line }) => {
    const text = Buffer.from(line, "latin1").toString("utf8");
    const { url, title, depth, cash, priority } = JSON.parse(text) as PageLine;
    return { url, title, depth, cash, priority } as TopPage;
  });
}
