import { existsSync } from "node:fs";
import { printable } from "../../config/printable.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import { completeSeries } from "../../crawl/ending/complete-series.ts";
import { readNewestRun, writeTopPages } from "../../crawl/ending/reports.ts";
import { EXIT } from "../../errors.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import { crawlPaths, wholeState } from "../../store/folder/crawl-folder.ts";
import { type Recovery, recoverFolder } from "../../store/recover/recover-folder.ts";
import type { Command } from "../command.ts";
import { DEBUG_OPTION, isOn, jsonOption, onlyWord } from "../options.ts";
import { count, counted } from "../print-summary.ts";

const SHOWN = 20;

/** `orbweaver recover`. */
export const command: Command = {
  name: "recover",
  usage: ["recover DIR [--json]"],
  about:
    "Rebuilds index, page list, link graph and result lists of a crawl from its archive and journals, or the result lists from a URL tree alone. Closes files that a crash left open, cuts off torn ends, lists records that were never committed, and tells file and offset of what is damaged. Everything intact is kept. Exit code 5 when something is lost. Do not use it while the crawl runs.",
  options: [jsonOption("print what was found and done as one JSON object"), DEBUG_OPTION],
  examples: [["orbweaver recover crawls/example", "after a crash, or when a disk was damaged"]],
  async run(args, io) {
    const dir = onlyWord(
      args,
      "recover takes one folder, for example orbweaver recover crawls/example",
    );
    const recovery = recoverFolder(dir, readNewestRun(dir));
    if (isByCash(dir)) writeTopPages(dir);
    completeSeries(dir);
    io.stdout.write(isOn(args, "json") ? `${jsonLine(recovery)}\n` : textOf(recovery));
    return recovery.damages.length > 0 ? EXIT.corrupt : EXIT.finished;
  },
};

/** Whether a crawl is ordered by cash, so that its pages have some. */
function isByCash(dir: string): boolean {
  const config = wholeState(dir)?.config as Partial<CrawlConfig> | undefined;
  return config?.order === "opic" && existsSync(crawlPaths(dir).pages);
}

function textOf(recovery: Recovery): string {
  const { captures, orphans, unnamed, lists, damages, closed, journalsCut, repaired, rebuilt } =
    recovery;
  const way =
    "what is intact of the journals has taken their place, the damaged files are in state/damaged: the crawl can be resumed, without what the damaged bytes knew";
  const lines = [
    `${counted(captures, "capture")}, ${counted(orphans, "record")} never committed`,
    `${counted(lists.crawled, "URL")} crawled, ${count(lists.uncrawled)} found and not crawled, ${counted(lists.seeds, "seed")}`,
    ...closed.map(({ file, offset, cutBytes }) => {
      const torn = cutBytes === 0 ? "" : `, ${cutBytes} torn bytes cut off at ${offset}`;
      return `closed ${file}${torn}`;
    }),
    ...journalsCut.map(
      ({ file, offset, bytes }) => `cut ${bytes} torn bytes off ${file} at ${offset}`,
    ),
    ...repaired
      .slice(0, SHOWN)
      .map(({ file, offset }) => `put right ${file}, of which byte ${offset} was flipped`),
    ...rebuilt.map(({ file, offset }) => `rebuilt ${file}, which differed from byte ${offset} on`),
    ...(unnamed === 0 ? [] : [`${count(unnamed)} URLs without an answer are known by number only`]),
    ...damages
      .slice(0, SHOWN)
      .map(({ file, offset, what }) => `damaged: ${file}:${offset}: ${what}`),
    ...(damages.length > SHOWN
      ? [`and ${damages.length - SHOWN} more in reports/recover.json`]
      : []),
    ...(recovery.salvaged ? [way] : []),
  ];
  return lines.map((line) => `${printable(line, 1000)}\n`).join("");
}
