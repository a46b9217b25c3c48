import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readJournal } from "../../src/frontier/journal/journal-reader.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import type { Random } from "../../src/web/seeded-random.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";

/** Requests so far, also those for pages that were fetched before. */
export async function servedBy(web: RemoteWeb): Promise<number> {
  return (await web.report()).requests;
}

/** Folders of one crawl on one web, as kills and copies left them. */
export interface PreparedCrawl {
  readonly name: string;
  /** The crawl at several moments, from the earliest to the latest. */
  readonly moments: readonly string[];
  /** Copies of one of them that were both resumed, and killed again. */
  readonly diverged: readonly string[];
}

/** A way to spoil a folder: fills `out`, and says what was done. */
export interface Tampering {
  readonly name: string;
  tamper(crawl: PreparedCrawl, out: string, random: Random): string;
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)]!;
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

/** Files of the journals of a folder that hold anything. */
function stateFiles(out: string, is = /\.(journal|snapshot|done)$/): string[] {
  const folder = crawlPaths(out).journals;
  const names = readdirSync(folder).filter((name) => is.test(name));
  return names.sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).size > 0 ? [path] : [];
  });
}

/** Spoils one file of a moment of the crawl. */
function onFile(
  name: string,
  spoil: (path: string, out: string, random: Random) => string | undefined,
  is?: RegExp,
): Tampering {
  return {
    name,
    tamper({ moments, diverged }, out, random) {
      // A crawl that was killed at its very beginning has nothing to spoil.
      const all = [...moments, ...diverged].filter((folder) => stateFiles(folder, is).length > 0);
      copy(pick(random, all), out);
      const path = pick(random, stateFiles(out, is));
      const how = spoil(path, out, random);
      return `${path.slice(out.length + 1)} ${how ?? ""}`;
    },
  };
}

const JOURNAL = /\.journal$/;

/** Every way to spoil a folder. */
export const TAMPERINGS: readonly Tampering[] = [
  onFile(
    "cut",
    (path, _, random) => {
      const at = random.below(statSync(path).size);
      truncateSync(path, at);
      return `at ${at}`;
    },
    JOURNAL,
  ),
  onFile("cut behind a batch", cutBehindBatch, JOURNAL),
  onFile("emptied", (path) => void truncateSync(path, 0), JOURNAL),
  onFile(
    "half zeroed",
    (path, _, random) => zero(path, random.below(2) * (statSync(path).size >> 1)),
    JOURNAL,
  ),
  onFile(
    "some bytes zeroed",
    (path, _, random) => {
      const from = random.below(statSync(path).size);
      return zero(path, from, 1 + random.below(2000));
    },
    JOURNAL,
  ),
  onFile("any file cut", (path, _, random) => {
    truncateSync(path, random.below(statSync(path).size));
    return "cut";
  }),
  onFile("swapped", (path, out, random) => {
    const kind = new RegExp(`\\${path.slice(path.lastIndexOf("."))}$`);
    const other = pick(random, stateFiles(out, kind));
    const [one, two] = [readFileSync(path), readFileSync(other)];
    writeFileSync(path, two);
    writeFileSync(other, one);
    return `with ${other}`;
  }),
  onFile("under a second name", duplicate),
  onFile("removed", (path) => rmSync(path) as undefined),
  mixed("mixed from two moments", ({ moments }) => moments),
  mixed("mixed from two that ran on", ({ diverged }) => diverged),
  {
    name: "crawl.json of another moment",
    tamper({ moments }, out, random) {
      const [one, other] = [pick(random, moments), pick(random, moments)];
      copy(one, out);
      for (const name of ["crawl.json", "crawl-copy.json"])
        copyFileSync(join(other, "state", name), join(out, "state", name));
      return `${one} with the state of ${other}`;
    },
  },
];

function cutBehindBatch(path: string, out: string, random: Random): string {
  const [, shard, segment] = /shard-(\d+)\.(\d+)\.journal$/.exec(path)!;
  const ends: number[] = [];
  const folder = crawlPaths(out).journals;
  for (const batch of readJournal({ folder, shard: Number(shard), salvage: () => {} }))
    if (batch.segment === Number(segment)) ends.push(batch.offset);
  const at = ends.length === 0 ? 0 : pick(random, ends);
  truncateSync(path, at);
  return `at ${at}, where a batch begins`;
}

function zero(path: string, from: number, length = Number.POSITIVE_INFINITY): string {
  const bytes = readFileSync(path);
  bytes.fill(0, from, Math.min(bytes.length, from + length));
  writeFileSync(path, bytes);
  return `from ${from} on`;
}

function duplicate(path: string, out: string, random: Random): string {
  const folder = crawlPaths(out).journals;
  const [, shard, segment, kind] = /shard-(\d+)\.(\d+)\.(\w+)$/.exec(path)!;
  const six = (number: number) => String(number).padStart(6, "0");
  const names = [
    `shard-${shard}.${six(Number(segment) + 1)}.${kind}`,
    `shard-16.${segment}.${kind}`,
    `shard-${random.below(2) === 0 ? "03" : "07"}.${segment}.${kind}`,
  ];
  const to = join(folder, pick(random, names));
  if (to !== path) copyFileSync(path, to);
  return `also as ${to}`;
}

/** Takes each shard, or each file, from one of two copies, and the rest of the folder from either. */
function mixed(name: string, of: (crawl: PreparedCrawl) => readonly string[]): Tampering {
  return {
    name,
    tamper(crawl, out, random) {
      const one = pick(random, of(crawl));
      const others = of(crawl).filter((folder) => folder !== one);
      const other = pick(random, others.length > 0 ? others : [one]);
      copy(one, out);
      // Without the records of both, most mixtures would only be found short of those.
      cpSync(join(other, "archive"), join(out, "archive"), { recursive: true, force: false });
      const byFile = random.below(2) === 0;
      const chosen = new Map<string, boolean>();
      const [mine, theirs] = [crawlPaths(out).journals, crawlPaths(other).journals];
      for (const file of new Set([...readdirSync(mine), ...readdirSync(theirs)])) {
        const unit = byFile ? file : file.slice(0, "shard-00".length);
        const isTheirs = chosen.get(unit) ?? random.below(2) === 0;
        chosen.set(unit, isTheirs);
        if (!isTheirs) continue;
        rmSync(join(mine, file), { force: true });
        if (existsSync(join(theirs, file))) copyFileSync(join(theirs, file), join(mine, file));
      }
      return `${one} and ${other}, by ${byFile ? "file" : "shard"}`;
    },
  };
}
