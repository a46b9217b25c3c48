import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { printable } from "../../config/printable.ts";
import { packageVersion } from "../../config/version.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { makeFolders } from "../../store/files/system-calls.ts";
import { finalizeIfLeft } from "../../store/finish/finalize.ts";
import { type CrawlPaths, crawlPaths } from "../../store/folder/crawl-folder.ts";
import { noResults } from "../../store/folder/no-crawl.ts";
import { rowCounts, rowFile } from "../../store/rows/merge-rows.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import type { Io } from "../io.ts";
import { DEBUG_OPTION, listOf, textOf, wholeNumberOf } from "../options.ts";
import { count, counted } from "../print-summary.ts";

const group = "Options";

/** Forms that rows of a handler can have. */
const ROW_FORMS: Readonly<Record<string, (path: string, out: string) => Promise<number>>> = {
  csv: async (path, out) =>
    (await import("../../store/export/export-csv.ts")).exportRowsCsv(path, out),
  parquet: async (path, out) =>
    (await import("../../store/export/export-parquet.ts")).exportRowsParquet(path, out),
};

/** A form to export to: where it goes without --out, and what is said about what was written. */
interface Form {
  readonly defaultOut: (exports: string, name: string) => string;
  readonly write: (dir: string, paths: CrawlPaths, out: string) => Promise<string>;
}

const FORMS: Readonly<Record<string, Form>> = {
  wacz: {
    defaultOut: (exports, name) => join(exports, `${name}.wacz`),
    async write(dir, _paths, out) {
      const { exportWacz } = await import("../../store/export/export-wacz.ts");
      const facts = {
        title: basename(resolve(dir)),
        software: `Orbweaver/${packageVersion()}`,
        wallMs: Date.now(),
      };
      return counted(exportWacz(dir, out, facts).length, "file");
    },
  },
  tree: {
    defaultOut: (exports) => join(exports, "tree"),
    async write(dir, _paths, out) {
      const { exportTree } = await import("../../store/export/export-tree.ts");
      const { written, there, lost } = exportTree(dir, out);
      const lostText = lost === 0 ? "" : `, ${count(lost)} could not be read`;
      return `${counted(written, "page")}, ${count(there)} were there already${lostText}`;
    },
  },
  csv: {
    defaultOut: (exports) => join(exports, "pages.csv"),
    async write(_dir, { pages }, out) {
      const { exportCsv } = await import("../../store/export/export-csv.ts");
      return counted(exportCsv(pages, out), "page");
    },
  },
  parquet: {
    defaultOut: (exports) => join(exports, "pages.parquet"),
    async write(_dir, { pages }, out) {
      const { exportParquet } = await import("../../store/export/export-parquet.ts");
      return counted(await exportParquet(pages, out), "page");
    },
  },
  graph: {
    defaultOut: (exports) => join(exports, "graph"),
    async write(dir, _paths, out) {
      const { exportGraph } = await import("../../store/export/export-csv.ts");
      makeFolders(out);
      const { nodes, edges } = exportGraph(dir, join(out, "nodes.csv"), join(out, "edges.csv"));
      return `${counted(nodes, "node")}, ${counted(edges, "edge")}`;
    },
  },
};

/** Forms that are texts of pages, each with the file it is written to when no other is named. */
const TEXT_FORMS = { text: "text", markdown: "markdown", wet: "wet" } as const;
type TextForm = keyof typeof TEXT_FORMS;
const ALL_FORMS = [...Object.keys(FORMS), ...Object.keys(TEXT_FORMS)];
/** What only a corpus can be asked for. */
const CORPUS_FLAGS = [
  "format",
  "split",
  "language",
  "min-words",
  "dedupe",
  "threads",
  "page-time",
] as const;
/** A page takes milliseconds; one that takes this long was made to. */
const MAX_PAGE_SECONDS = 20;

/** `orbweaver export`. */
export const command: Command = {
  name: "export",
  usage: [
    "export DIR --to wacz|tree|csv|parquet|graph [--out PATH]",
    "export DIR --to text|markdown|wet [--format jsonl|parquet] [--split N] [--language L] [--min-words N] [--dedupe exact|near] [--threads N] [--out PATH]",
    "export DIR --rows NAME --to csv|parquet [--out PATH]",
  ],
  about:
    "Writes a finished crawl in another form: a WACZ package, an indexed URL tree, a table of its pages as CSV or Parquet, the link graph as a list of nodes and a list of edges, or a corpus: the main text of every page, without menus and footers.",
  options: [
    {
      flag: "to",
      value: ALL_FORMS.join("|"),
      group,
      about: "the form to write",
      allowed: `one of ${ALL_FORMS.join(", ")}`,
      examples: ["--to wacz"],
    },
    {
      flag: "format",
      value: "jsonl|parquet",
      group,
      about: "a JSON line per page, or a table (for --to text and markdown)",
      allowed: "jsonl or parquet",
      examples: ["--format parquet"],
    },
    {
      flag: "split",
      value: "N",
      group,
      about: "pages per file of a corpus, which is a folder then (default: one file; wet: 50,000)",
      allowed: "a whole number of at least 1",
      examples: ["--split 10000"],
    },
    {
      flag: "language",
      value: "L",
      group,
      about: "only pages of this language, by its code of two letters",
      allowed: "a code of two letters",
      examples: ["--language de"],
      repeatable: true,
    },
    {
      flag: "min-words",
      value: "N",
      group,
      about: "only pages whose text has so many words",
      allowed: "a whole number of at least 1",
      examples: ["--min-words 50"],
    },
    {
      flag: "dedupe",
      value: "exact|near",
      group,
      about:
        "leaves out pages whose text an earlier one has: exactly, or with at least 80 % of its runs of three words",
      allowed: "exact or near",
      examples: ["--dedupe near"],
    },
    {
      flag: "threads",
      value: "N",
      group,
      about: "threads that read texts (default: as many as there are cores)",
      allowed: "a whole number from 1 to 256",
      examples: ["--threads 2"],
    },
    {
      flag: "page-time",
      value: "SECONDS",
      group,
      about: `a page whose text takes longer is left out (default: ${MAX_PAGE_SECONDS})`,
      allowed: "a whole number from 1 to 3600",
      examples: ["--page-time 60"],
    },
    {
      flag: "rows",
      value: "NAME",
      group,
      about:
        "rows that a handler pushed under this name (data/NAME.jsonl) instead of the pages, with a column for each field; only with --to csv or parquet",
      allowed: "a name that a handler pushed rows under",
      examples: ["--rows data"],
    },
    {
      flag: "out",
      value: "PATH",
      group,
      about: "where to write it; nothing that is there is overwritten (default: DIR/exports)",
      allowed: "a path",
      examples: ["--out example.wacz"],
    },
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver export crawls/example --to wacz", "a package that replay tools open"],
    ["orbweaver export crawls/example --to graph --out graph", "nodes.csv and edges.csv"],
    [
      "orbweaver export crawls/example --to markdown --language en --min-words 50 --dedupe near",
      "a corpus of English pages, each once",
    ],
  ],
  async run(args, io) {
    const [dir, ...more] = args.words;
    const to = args.options.get("to") as string | undefined;
    const textForm =
      to !== undefined && Object.hasOwn(TEXT_FORMS, to) ? (to as TextForm) : undefined;
    const form =
      textForm === undefined
        ? to !== undefined && Object.hasOwn(FORMS, to) && FORMS[to]
        : textForms(textForm, args, io);
    if (dir === undefined || more.length > 0 || !form) {
      const forms = ALL_FORMS.join(", ");
      throw new UsageError(
        `export takes one folder and --to with one of ${forms}; for example orbweaver export crawls/example --to wacz`,
      );
    }
    const useless = textForm === undefined && CORPUS_FLAGS.find((flag) => args.options.has(flag));
    if (useless)
      throw new UsageError(
        `--${useless} is for a corpus of texts, not for --to ${to}; use --to text, markdown or wet`,
      );
    const paths = crawlPaths(dir);
    finalizeIfLeft(dir);
    if (!existsSync(paths.pages) || !existsSync(paths.index)) {
      throw noResults(dir, "page list and index");
    }
    const asked = args.options.get("out") as string | undefined;
    // Exports below the crawl may be replaced; files elsewhere are never overwritten.
    if (asked !== undefined && to !== "tree" && existsSync(asked)) {
      throw new UsageError(`${printable(asked, 1000)} is there already: choose another --out`);
    }
    const rows = args.options.get("rows") as string | undefined;
    const source = rows === undefined ? undefined : rowsOf(dir, rows, to!);
    const exports = join(dir, "exports");
    const ownOut =
      rows === undefined
        ? form.defaultOut(exports, basename(resolve(dir)))
        : join(exports, `${rows}.${to}`);
    const out = asked ?? ownOut;
    makeFolders(dirname(out));
    const text =
      source === undefined
        ? await form.write(dir, paths, out)
        : counted(await ROW_FORMS[to!]!(source, out), "row");
    io.stdout.write(`${printable(out, 1000)}: ${text}\n`);
    return EXIT.finished;
  },
};

/** The form of a corpus, from its options. */
function textForms(to: TextForm, args: Arguments, io: Io): Form {
  const choice = (flag: string, allowed: readonly string[]) => {
    const text = textOf(args, flag);
    if (text === undefined || allowed.includes(text)) return text;
    throw new UsageError(
      `--${flag} ${printable(text, 100)} is not allowed; use ${allowed.join(" or ")}`,
    );
  };
  const format = choice("format", ["jsonl", "parquet"]);
  if (to === "wet" && format !== undefined)
    throw new UsageError("--format is for --to text and --to markdown: WET is a format itself");
  const languages = listOf(args, "language");
  const strange = languages.find((code) => !/^[a-z]{2}$/.test(code));
  if (strange !== undefined)
    throw new UsageError(
      `--language ${printable(strange, 100)} is not allowed; use a code of two small letters, for example --language en`,
    );
  const number = (flag: string, max: number) =>
    args.options.has(flag) ? wholeNumberOf(args, flag, 1, max) : undefined;
  const split = number("split", 1e9);
  const options = {
    form: to === "wet" ? ("wet" as const) : ((format ?? "jsonl") as "jsonl" | "parquet"),
    isMarkdown: to === "markdown",
    split,
    languages: languages.length === 0 ? undefined : languages,
    minWords: number("min-words", 1e9) ?? 0,
    dedupe: choice("dedupe", ["exact", "near"]) as "exact" | "near" | undefined,
    threads: number("threads", 256),
    pageMs: 1000 * (number("page-time", 3600) ?? MAX_PAGE_SECONDS),
    onProgress: progressTo(io),
  };
  const isFolder = to === "wet" || split !== undefined;
  return {
    defaultOut: (exports) => join(exports, isFolder ? to : `${to}.${options.form}`),
    async write(dir, { pages }, out) {
      const { exportText } = await import("../../text/export-text.ts");
      const made = await exportText(dir, pages, out, options);
      const reasons = made.reasons.map(([reason, n]) => `${reason} ${count(n)}`).join(", ");
      const left = made.leftOut === 0 ? "" : `, ${count(made.leftOut)} left out (${reasons})`;
      return `${counted(made.pages, "page")}${left}, ${counted(made.clusters, "group")} of near duplicates`;
    },
  };
}

/** Told now and then on a terminal how far it is. */
function progressTo(io: Io): (pages: number) => void {
  let next = 0;
  return (pages) => {
    if (!io.stderr.isTTY || Date.now() < next) return;
    next = Date.now() + 500;
    io.stderr.write(`\r${count(pages)} pages read`);
  };
}

/** The file of the rows of a name. */
function rowsOf(dir: string, name: string, to: string): string {
  if (!Object.hasOwn(ROW_FORMS, to))
    throw new UsageError("--rows needs --to csv or --to parquet: rows are a table");
  const names = Object.keys(rowCounts(dir));
  if (names.includes(name)) return rowFile(dir, name);
  const there = names.length === 0 ? "it has no rows" : `there are ${names.join(", ")}`;
  throw new UsageError(`no handler of this crawl pushed rows under ${printable(name)}; ${there}`);
}
