import { existsSync } from "node:fs";
import { join } from "node:path";
import { giveBackMemory } from "../../runtime/collect-garbage.ts";
import { pageRows } from "../../store/export/page-rows.ts";
import { Payloads } from "../../store/export/payload.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import { openFacts, type PageFacts, readFacts } from "./page-facts.ts";
import { factsOf, type ReadingTools } from "./read-page-facts.ts";

/** Pages between two looks at the clock. */
const LOOK_EVERY = 256;

/** Pages between two collections of garbage, which take some 50 ms. */
const COLLECT_EVERY = 4096;

/** How pages are surveyed. */
export interface SurveyOptions extends ReadingTools {
  /** Told from time to time how many pages have been read. */
  readonly onProgress?: ((pages: number) => void) | undefined;
}

/** Where the facts of a crawl's pages are. */
export function factsPath(dir: string): string {
  return join(crawlPaths(dir).reports, "page-facts.jsonl");
}

/**
 * Reads every page from the archive once, one at a time, and writes what it finds into reports/page-facts.jsonl. Goes on
 * where an earlier survey ended or was interrupted. Answers how many pages were read now.
 */
export function surveyPages(dir: string, tools: SurveyOptions): number {
  const { pages, index, archive } = crawlPaths(dir);
  const kind = { tokens: tools.tokens, detector: tools.detector.name };
  const { done, file } = openFacts(factsPath(dir), kind, idsOf(pages));
  const payloads = existsSync(index) ? new Payloads(archive, index) : undefined;
  let number = 0;
  try {
    for (const page of pageRows(pages)) {
      if (number++ < done) continue;
      const answer = payloads && answerOf(payloads, page);
      file.write(factsOf(page, answer, tools));
      if (number % LOOK_EVERY === 0) tools.onProgress?.(number);
      // Windows into archive files are outside the heap, and would pile up.
      if (number % COLLECT_EVERY === 0) giveBackMemory();
    }
    file.flush();
  } finally {
    payloads?.close();
    file.close();
  }
  return number - done;
}

function* idsOf(pages: string): Generator<string, void> {
  for (const { id } of pageRows(pages)) yield id;
}

/** A file of the archive may be gone. */
function answerOf(payloads: Payloads, { file, offset }: PageLine) {
  try {
    return payloads.answerAt(file, offset);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fault;
  }
}

/** A page of the list with its facts. */
export interface SurveyedPage {
  /** Its place in the list, from 0. */
  readonly number: number;
  readonly page: PageLine;
  readonly facts: PageFacts;
}

/** Iterates all pages after a survey. */
export function* surveyedPages(dir: string): Generator<SurveyedPage, void> {
  const facts = readFacts(factsPath(dir));
  let number = 0;
  for (const page of pageRows(crawlPaths(dir).pages)) {
    const next = facts.next();
    if (next.done === true) return;
    yield { number: number++, page, facts: next.value };
  }
}
