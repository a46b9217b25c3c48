import { join } from "node:path";
import { crawlArguments, type Drill, Random, startCrawl, withFolder, withWeb } from "./drill.ts";
import { readWhole } from "./whole-folder.ts";

/** The first is what the issue asks for; the others are drawn from here up. */
const MIN_FILES = 64;
const MAX_FILES = 200;
/** A crawl is refused with a sentence. */
const FAR_TOO_FEW = 45;
const SAYS = /^only \d+ files may be open: /m;

/** Processes that may have few files open: they use fewer links, say so once, and lose nothing. */
export const drill: Drill = {
  name: "few-files",
  short: { count: 1, pages: 150 },
  full: { count: 10, pages: 1000 },
  async run({ count, pages, seed }) {
    const random = new Random(seed);
    const problems: string[] = [];
    const figures = { crawls: 0, least: MIN_FILES, pages: 0, lost: 0 };
    await withWeb({ pages, hosts: 20 }, 5, async (web) => {
      const { reachable } = await web.truth();
      for (; figures.crawls < count; figures.crawls++) {
        await withFolder(async (folder) => {
          const out = join(folder, "out");
          const maxOpenFiles =
            figures.crawls === 0 ? MIN_FILES : MIN_FILES + random.below(MAX_FILES - MIN_FILES);
          const args = crawlArguments(web.start, out).filter((arg) => arg !== "--quiet");
          const crawl = startCrawl([...args, "--rotate-pages", "50"], {}, { maxOpenFiles });
          const { code, stderr } = await crawl.ended;
          if (code !== 0) {
            problems.push(`${maxOpenFiles} files: exit code ${code}: ${stderr.slice(-500)}`);
            return;
          }
          if (stderr.split(SAYS).length !== 2) problems.push(`${maxOpenFiles} files: ${stderr}`);
          const disk = readWhole(out);
          figures.pages += disk.pages;
          figures.lost += Math.max(0, reachable - disk.pages);
          for (const problem of disk.problems) problems.push(`${maxOpenFiles} files: ${problem}`);
          if (disk.pages !== reachable)
            problems.push(`${maxOpenFiles} files: ${disk.pages} pages of ${reachable}`);
        });
      }
      await withFolder(async (folder) => {
        const args = crawlArguments(web.start, join(folder, "out"));
        const { code, stderr } = await startCrawl(args, {}, { maxOpenFiles: FAR_TOO_FEW }).ended;
        if (code === 0 || !/too many open files|files may be open/.test(stderr))
          problems.push(`${FAR_TOO_FEW} files: exit code ${code}: ${stderr.slice(-500)}`);
      });
    });
    return { figures, problems };
  },
};
