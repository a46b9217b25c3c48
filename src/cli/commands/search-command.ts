import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { SearchResult } from "../../report/search/search-crawl.ts";
import type { Command } from "../command.ts";
import { type Io, printJson } from "../io.ts";
import { DEBUG_OPTION, isOn, jsonOption, wholeNumberOf } from "../options.ts";
import { counted } from "../print-summary.ts";

const DEFAULT_TOP = 10;
const MAX_TOP = 1000;

/** `orbweaver search`. */
export const command: Command = {
  name: "search",
  usage: ["search DIR WORDS [--top N] [--json]"],
  about:
    "Looks for words in titles, URLs and texts of a crawl that has ended, and shows the best pages that have all of them. Case and accents do not matter. The first search makes an index in indexes/search/.",
  options: [
    {
      flag: "top",
      value: "N",
      group: "Options",
      about: `how many pages are shown (default ${DEFAULT_TOP})`,
      allowed: `a whole number from 1 to ${MAX_TOP}`,
      examples: ["--top 25"],
    },
    jsonOption("print one JSON object instead of lines"),
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver search crawls/example polar bear", "pages about polar bears"],
    ["orbweaver search crawls/example imprint --top 50 --json", "the same for a program"],
  ],
  async run(args, io) {
    const [dir, ...words] = args.words;
    if (dir === undefined || words.join("").trim() === "") {
      throw new UsageError(
        "search takes the folder of a crawl and words to look for; for example orbweaver search crawls/example polar bear",
      );
    }
    const top = wholeNumberOf(args, "top", DEFAULT_TOP, MAX_TOP);
    const { requireEnded } = await import("../../report/write-report.ts");
    const { prepareIndex } = await import("../../report/search/search-index.ts");
    const { searchCrawl } = await import("../../report/search/search-crawl.ts");
    requireEnded(dir);
    const isShown = io.stderr.isTTY === true;
    prepareIndex(
      dir,
      isShown ? (pages) => io.stderr.write(`\r\x1b[Kindex: ${pages} pages read`) : undefined,
    );
    if (isShown) io.stderr.write("\r\x1b[K");
    const query = words.join(" ");
    const result = searchCrawl(dir, query, top);
    if (isOn(args, "json")) printJson(io, { query, ...result });
    else show(result, io);
    return EXIT.finished;
  },
};

function show({ total, hits }: SearchResult, io: Io): void {
  for (const { url, title, snippet } of hits) {
    io.stdout.write(`${printable(title || "(no title)", 300)}\n  ${printable(url, 3000)}\n`);
    if (snippet !== "") io.stdout.write(`  ${printable(snippet, 400)}\n`);
  }
  io.stderr.write(`${counted(total, "page")} found\n`);
}
