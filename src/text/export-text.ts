import { availableParallelism } from "node:os";
import { type Cluster, Fingerprints } from "../report/near/clusters.ts";
import { parseSketch } from "../report/near/min-hash.ts";
import { NearTexts } from "../report/near/near-texts.ts";
import { runSet } from "../report/near/word-runs.ts";
import { jsonLine } from "../store/files/jsonl.ts";
import { RandomLines } from "../store/files/random-lines.ts";
import { linesAt } from "../store/files/read-file.ts";
import { replaceFile } from "../store/files/replace-file.ts";
import { removeIfThere } from "../store/files/system-calls.ts";
import { writeLines } from "../store/files/write-lines.ts";
import { type CorpusForm, type NumberedLine, writeCorpus } from "./corpus-files.ts";
import type { ExtractedLine, LeftOutLine } from "./corpus-line.ts";
import { extractPages } from "./extract-pages.ts";

/** What a corpus is made of, and how. */
export interface TextOptions {
  readonly form: CorpusForm;
  readonly isMarkdown: boolean;
  /** Pages per file; one file without it. */
  readonly split?: number | undefined;
  /** Codes of the languages that are kept; all without it. */
  readonly languages?: readonly string[] | undefined;
  readonly minWords: number;
  readonly dedupe?: "exact" | "near" | undefined;
  readonly threads?: number | undefined;
  readonly pageMs: number;
  readonly onProgress?: ((pages: number) => void) | undefined;
}

/** What became of the pages. */
export interface TextSummary {
  readonly pages: number;
  readonly leftOut: number;
  /** By reason, the most frequent first. */
  readonly reasons: readonly (readonly [reason: string, pages: number])[];
  /** Groups of near duplicates among the pages that fit. */
  readonly clusters: number;
  /** Where those that were left out are listed. */
  readonly list: string;
}

/** Writes the main texts of a crawl's pages to `out`, and those that were left out beside it. */
export async function exportText(
  dir: string,
  pages: string,
  out: string,
  options: TextOptions,
): Promise<TextSummary> {
  const work = `${out}.part`;
  await extractPages(dir, pages, work, {
    isMarkdown: options.isMarkdown,
    threads: options.threads ?? availableParallelism(),
    pageMs: options.pageMs,
    onProgress: options.onProgress,
  });
  const duplicates = new Duplicates(work, options);
  const reasons = new Map<string, number>();
  const leave = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const list = `${out.replace(/\.(?:jsonl|parquet)$/, "")}.left-out.jsonl`;
  const split = options.split ?? (options.form === "wet" ? PAGES_PER_WET : undefined);
  const written = await writeCorpus(out, options.form, split, kept(work, options, duplicates));
  const others = function* () {
    for (const { url, reason, of } of leftOut(work, options, duplicates)) {
      leave(reason);
      yield jsonLine({ url, reason, ...(of === undefined ? {} : { of }) });
    }
  };
  const count = replaceFile(list, (file) => writeLines(file, others(), { encoding: "utf8" }));
  removeIfThere(work);
  return {
    pages: written,
    leftOut: count,
    reasons: [...reasons].sort(([, a], [, b]) => b - a),
    clusters: duplicates.clusters,
    list,
  };
}

/** As the files of large archives have them. */
const PAGES_PER_WET = 50_000;

type Line = ExtractedLine | LeftOutLine;

function* linesOf(work: string): Generator<[number: number, line: Line], void> {
  let number = 0;
  for (const [offset, line] of linesAt(work))
    if (offset > 0)
      yield [number++, JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as Line];
}

/** Why a page does not fit what was asked for; undefined for one that does. */
function misfit(line: Line, { languages, minWords }: TextOptions): string | undefined {
  if ("leftOut" in line) return line.leftOut;
  if (line.words < minWords) return "few_words";
  if (languages !== undefined && !languages.includes(line.language ?? "")) return "other_language";
  return undefined;
}

/** Which pages say the same as an earlier one. */
class Duplicates {
  /** Number of the first page of its group and 1, by page; 0 for none. */
  readonly #cluster: Uint32Array;
  readonly #repeated: Uint32Array;
  /** URL and id of the first pages of groups, as they come by. */
  readonly #firsts = new Map<number, { readonly url: string; readonly id: string }>();
  readonly #dedupe: "exact" | "near" | undefined;
  readonly clusters: number;

  constructor(work: string, options: TextOptions) {
    const exact = new Fingerprints();
    const near = new NearTexts();
    let pages = 0;
    for (const [number, line] of linesOf(work)) {
      pages = number + 1;
      if ("leftOut" in line || misfit(line, options) !== undefined) continue;
      const start = "sha256:".length;
      exact.add(number, ...halves(line.digest.slice(start, start + 16)));
      if (line.sketch !== undefined) near.add(number, parseSketch(line.sketch));
    }
    this.#dedupe = options.dedupe;
    this.#cluster = new Uint32Array(pages);
    this.#repeated = new Uint32Array(pages);
    const groups = nearGroups(work, near);
    this.clusters = groups.length;
    for (const group of groups) for (const page of group) this.#cluster[page] = group[0]! + 1;
    for (const group of exact.equal())
      for (const page of group.slice(1)) this.#repeated[page] = group[0]! + 1;
  }

  /** Notes a page that fits, in the order of the list. */
  pass(number: number, { url, id }: ExtractedLine): void {
    this.#firsts.set(number, { url, id });
    // Only firsts of groups are asked for again.
    if (this.#cluster[number] !== number + 1) this.#firsts.delete(number);
  }

  clusterOf(number: number): string | null {
    const first = this.#cluster[number]!;
    return first === 0 ? null : (this.#firsts.get(first - 1)?.id ?? null);
  }

  /** The earlier page that says the same, as far as duplicates are to be left out; undefined for none. */
  earlier(number: number): number | undefined {
    if (this.#dedupe === undefined) return undefined;
    const equal = this.#repeated[number]!;
    if (equal !== 0) return equal - 1;
    const near = this.#dedupe === "near" ? this.#cluster[number]! : 0;
    return near === 0 || near === number + 1 ? undefined : near - 1;
  }
}

function nearGroups(work: string, near: NearTexts): Cluster[] {
  const lines = new RandomLines(work);
  try {
    // The first line is about the file.
    return near.groups((page) => {
      const { text } = JSON.parse(lines.at(page + 1)) as ExtractedLine;
      return runSet(text);
    });
  } finally {
    lines.close();
  }
}

function halves(hex: string): [low: number, high: number] {
  return [Number.parseInt(hex.slice(8), 16), Number.parseInt(hex.slice(0, 8), 16)];
}

function* kept(
  work: string,
  options: TextOptions,
  duplicates: Duplicates,
): Generator<NumberedLine, void> {
  for (const [number, line] of linesOf(work)) {
    if ("leftOut" in line || misfit(line, options) !== undefined) continue;
    duplicates.pass(number, line);
    if (duplicates.earlier(number) !== undefined) continue;
    const { id, ts, sketch, text, ...others } = line;
    const shown = options.isMarkdown ? others : { ...others, text };
    yield { id, ts, line: { ...shown, cluster: duplicates.clusterOf(number) } };
  }
}

/** A page without a line in the corpus. */
interface LeftOut {
  readonly url: string;
  readonly reason: string;
  /** The URL that a duplicate repeats. */
  readonly of?: string | undefined;
}

function* leftOut(
  work: string,
  options: TextOptions,
  duplicates: Duplicates,
): Generator<LeftOut, void> {
  const repeated = new Map<number, string>();
  const targets = new Set<number>();
  for (const [number] of linesOf(work)) {
    const earlier = duplicates.earlier(number);
    if (earlier !== undefined) targets.add(earlier);
  }
  for (const [number, line] of linesOf(work)) {
    if (targets.has(number)) repeated.set(number, line.url);
    const reason = misfit(line, options);
    const earlier = reason === undefined ? duplicates.earlier(number) : undefined;
    if (reason !== undefined) yield { url: line.url, reason };
    else if (earlier !== undefined)
      yield { url: line.url, reason: "duplicate", of: repeated.get(earlier) };
  }
}
