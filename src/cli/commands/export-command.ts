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
import type { Command } from "../command.ts";
import { DEBUG_OPTION } from "../options.ts";
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

/** `orbweaver export`. */
export const command: Command = {
  name: "export",
  usage: [
    "export DIR --to wacz|tree|csv|parquet|graph [--out PATH]",
    "export DIR --rows NAME --to csv|parquet [--out PATH]",
  ],
  about:
    "Writes a finished crawl in another form: a WACZ package, an indexed URL tree, a table of its pages as CSV or Parquet, or the link graph as a list of nodes and a list of edges.",
  options: [
    {
      flag: "to",
      value: Object.keys(FORMS).join("|"),
      group,
      about: "the form to write",
      allowed: `one of ${Object.keys(FORMS).join(", ")}`,
      examples: ["--to wacz"],
    },
    {
      flag: "rows",
      value: "NAME",
      group,
      about:
        "instead of the pages, what a handler pushed under this name (data/NAME.jsonl), with a column for each field; only with --to csv or parquet",
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
  ],
  async run(args, io) {
    const [dir, ...more] = args.words;
    const to = args.options.get("to") as string | undefined;
    const form = to !== undefined && Object.hasOwn(FORMS, to) ? FORMS[to] : undefined;
    if (dir === undefined || more.length > 0 || form === undefined) {
      const forms = Object.keys(FORMS).join(", ");
      throw new UsageError(
        `export takes one folder and --to with one of ${forms}; for example orbweaver export crawls/example --to wacz`,
      );
    }
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

/** The file of the rows of a name. */
function rowsOf(dir: string, name: string, to: string): string {
  if (!Object.hasOwn(ROW_FORMS, to))
    throw new UsageError("--rows needs --to csv or --to parquet: rows are a table");
  const names = Object.keys(rowCounts(dir));
  if (names.includes(name)) return rowFile(dir, name);
  const there = names.length === 0 ? "it has no rows" : `there are ${names.join(", ")}`;
  throw new UsageError(`no handler of this crawl pushed rows under ${printable(name)}; ${there}`);
}
