import { existsSync, truncateSync } from "node:fs";
import { cutTornLine, JsonlFile, parseJson } from "../../store/files/jsonl.ts";
import { linesAt } from "../../store/files/read-file.ts";
import { removeIfThere } from "../../store/files/system-calls.ts";
import type { Tokens } from "./tokens.ts";

/** What a report knows of a page beyond its line in pages.jsonl; a line of reports/page-facts.jsonl. */
export interface PageFacts {
  /** As in pages.jsonl. */
  readonly id: string;
  /** Length of the body without its content coding. */
  readonly decodedBytes: number;
  readonly tokens: number;
  readonly linksAll: number;
  /** Present for HTML. */
  readonly charset?: string;
  /** As the page declares it. */
  readonly language?: string;
  /** As its text looks; "" when that cannot be told. */
  readonly detected?: string;
  /** UTF-8 bytes of the visible text. */
  readonly textBytes?: number;
  /** Of its text, by `sketchText`; only of texts that are long enough. */
  readonly sketch?: string;
  /** The page could not be read from the archive. */
  readonly lost?: true;
}

/** The first line of the file: facts of another kind are of no use. */
interface FactsHeader {
  readonly format: "orbweaver-page-facts";
  readonly version: 3;
  readonly tokens: Tokens;
  readonly detector: string;
}

/** How facts are found: what they are found with decides whether those of an earlier report can be used. */
export interface FactsKind {
  readonly tokens: Tokens;
  /** What detects languages; "none" when nothing does. */
  readonly detector: string;
}

/**
 * Prepares the file of facts for going on: keeps the lines of pages in the order of `ids` from the first page on, and cuts
 * off the rest. Answers how many pages it has, and a file to append to.
 */
export function openFacts(
  path: string,
  kind: FactsKind,
  ids: Iterable<string>,
): { readonly done: number; readonly file: JsonlFile } {
  const header: FactsHeader = { format: "orbweaver-page-facts", version: 3, ...kind };
  let done = 0;
  if (existsSync(path)) {
    cutTornLine(path);
    const keep = usable(path, JSON.stringify(header), ids);
    done = keep.done;
    if (keep.bytes === 0) removeIfThere(path);
    else if (Number.isFinite(keep.bytes)) truncateSync(path, keep.bytes);
  }
  const isNew = !existsSync(path);
  const file = new JsonlFile(path);
  if (isNew) file.write(header);
  return { done, file };
}

function usable(
  path: string,
  header: string,
  ids: Iterable<string>,
): { readonly done: number; readonly bytes: number } {
  const wanted = ids[Symbol.iterator]();
  let done = 0;
  for (const [offset, line] of linesAt(path)) {
    if (offset === 0) {
      if (line !== header) return { done: 0, bytes: 0 };
      continue;
    }
    const next = wanted.next();
    const id = (parseJson(line) as PageFacts | undefined)?.id;
    if (next.done === true || next.value !== id) return { done, bytes: offset };
    done++;
  }
  return { done, bytes: Number.POSITIVE_INFINITY };
}

/** Iterates the facts of all pages. */
export function* readFacts(path: string): Generator<PageFacts, void> {
  for (const [offset, line] of linesAt(path))
    if (offset > 0) yield JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as PageFacts;
}
