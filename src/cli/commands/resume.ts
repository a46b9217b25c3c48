import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import { readCrawlState } from "../../store/crawl-folder.ts";
import type { Command } from "../command.ts";

/** `orbweaver resume`: for now it tells why a crawl cannot be continued, and what to do instead. */
export const command: Command = {
  name: "resume",
  usage: ["resume DIR"],
  about:
    "Continues a crawl after a stop or a crash. The frontier of this version lives in memory, so no crawl can be continued yet; the command says what is in the folder and what to do.",
  options: [],
  examples: [["orbweaver resume crawls/example", "what became of that crawl"]],
  async run(args) {
    const [dir, ...more] = args.words;
    if (dir === undefined || more.length > 0) {
      throw new UsageError("resume takes one folder, for example orbweaver resume crawls/example");
    }
    const state = readCrawlState(dir);
    const shown = printable(dir, 1000);
    if (state === undefined) {
      throw new UsageError(
        `${shown} holds no crawl; start one with orbweaver crawl URL --out ${shown}`,
      );
    }
    if (state.frontier === "shared") {
      throw new UsageError(
        `${shown} was crawled on a shared frontier, which is not durable and cannot be resumed; crawl again with another --out`,
      );
    }
    throw new UsageError(
      `${shown} cannot be resumed by this version, whose frontier is not durable; what was stored is complete, crawl again with another --out for the rest`,
    );
  },
};
