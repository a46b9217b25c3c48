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
  const best: { cash: number; line: string }[] = [];
  for (const line of readLines(pagesFile)) {
    const cash = Number(CASH.exec(line)?.[1] ?? -1);
    // Pages come roughly in the order of their cash, so nearly all of them end here.
    if (cash <= (best[count - 1]?.cash ?? -1)) continue;
    const poorer = best.findIndex((page) => page.cash < cash);
    best.splice(poorer < 0 ? best.length : poorer, 0, { cash, line });
    if (best.length > count) best.pop();
  }
  return best.map(({ line }) => {
    const text = Buffer.from(line, "latin1").toString("utf8");
    const { url, title, depth, cash, priority } = JSON.parse(text) as PageLine;
    return { url, title, depth, cash, priority } as TopPage;
  });
}
