import type { CrawlReport } from "../../crawl/crawl-summary.ts";
import { rounded } from "../run-spread.ts";

/** An ordinary crawl, and where its time went. */
export interface Breakdown {
  readonly pages: number;
  readonly seconds: number;
  readonly stages: CrawlReport["stages"];
}

/** Shares of the stages in the time of all visits, in percent. */
export function stageShares({ stages }: Breakdown) {
  const { networkWait, read, follow, store, commit } = stages;
  const all = Math.max(1e-9, networkWait + read + follow + store + commit);
  const share = (part: number) => rounded((100 * part) / all, 2);
  return {
    ...{ networkWait: share(networkWait), read: share(read), follow: share(follow) },
    ...{ store: share(store), commit: share(commit) },
  };
}

/** Section 4.3 of the document, whose callback extracts links and puts them into the set. */
export function documentShares(crawls: readonly Breakdown[]) {
  const [few, many] = [crawls[0]!, crawls.at(-1)!];
  const callback = (crawl: Breakdown) => {
    const { read, follow } = stageShares(crawl);
    return `${rounded(read + follow, 1)} %`;
  };
  return [
    {
      what: `4.3: extracting links and putting them into the set, ${many.pages} / ${few.pages} pages`,
      paper: "10.7 % / 99.2 % of a thread's time (500 / 100 pages)",
      ours: `${callback(many)} / ${callback(few)} of all visits' time`,
    },
    {
      what: `4.3: the set, ${many.pages} pages`,
      paper: "3.9 % to set it up, in 327 s",
      ours: `${stageShares(many).follow} % to tell links from known ones, in ${rounded(many.seconds, 2)} s`,
    },
  ];
}
