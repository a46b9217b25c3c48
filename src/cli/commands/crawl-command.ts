import type { Command } from "../command.ts";
import { CRAWL_OPTIONS, OFTEN_USED } from "../crawl-options.ts";
import { readCrawlConfig } from "../read-crawl-config.ts";

/** `orbweaver crawl`. */
export const command: Command = {
  name: "crawl",
  usage: ["crawl URL... [OPTION...]", "crawl --seeds FILE|- [OPTION...]"],
  about:
    "Crawls from the given URLs and writes a folder with the pages (WARC), their index and reports. Politeness comes first: robots.txt is obeyed, and a host is asked one thing at a time with a pause between.",
  options: CRAWL_OPTIONS,
  often: [["seeds", "a file with more starting points, one URL per line"], ...OFTEN_USED],
  examples: [
    [
      "orbweaver crawl https://example.org/ --contact you@example.org",
      "one host, politely, until no link is left",
    ],
    [
      "orbweaver crawl --seeds seeds.txt --scope domain --max-pages 10000 --contact you@example.org",
      "many sites from a file, 10,000 pages at most",
    ],
    [
      "orbweaver crawl http://127.0.0.1:8080/ --delay 0 --out crawls/mine --json",
      "your own server at full speed, the summary for a program",
    ],
  ],
  async run(args, io) {
    const config = await readCrawlConfig(args, io);
    if (config.whenFull !== "spill") {
      const { runBlockingCrawl } = await import("../run-blocking-crawl.ts");
      return runBlockingCrawl(config, io);
    }
    if (config.schedule === "rounds") {
      const { runRoundsCrawl } = await import("../run-rounds-crawl.ts");
      return runRoundsCrawl(config, io);
    }
    // The engine is loaded only now, so that help and wrong usage do not pay for it.
    if (config.frontier === "engine") {
      const { beginOnEngine } = await import("../engine/run-on-engine.ts");
      return beginOnEngine(config, io);
    }
    const { runCrawl } = await import("../run-crawl.ts");
    return runCrawl(config, io);
  },
};
