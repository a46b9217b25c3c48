import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SettingName, settings } from "../../src/config/schema.ts";
import { EXIT } from "../../src/errors.ts";
import { withFolder } from "../faults/drill.ts";
import { readLog, readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions } from "./attack.ts";
import { sendPage, withServer } from "./loopback-server.ts";
import { runProgram } from "./program-run.ts";

const PAGES = 24;
const FIRST = 8;

/** What is tried in place of an option's first example, where that names something that is not there. */
const OTHER_WORDS: Partial<Record<SettingName, (folder: string) => string[]>> = {
  seedsFile: (folder) => ["--seeds", join(folder, "seeds.txt")],
  handler: (folder) => ["--handler", join(folder, "handler.mjs")],
  priority: (folder) => ["--priority", join(folder, "handler.mjs")],
  recrawl: (folder) => ["--recrawl", join(folder, "finished")],
  out: (folder) => ["--out", join(folder, "elsewhere")],
  proxies: () => ["--proxy", "http://127.0.0.1:9"],
  nameServers: () => ["--name-server", "127.0.0.1:9"],
  resolve: () => ["--resolve", "a.test:127.0.0.1:9"],
  allowPrivate: () => ["--allow-private", "127.0.0.0/8"],
  maxPages: () => ["--max-pages", "1000"],
  scope: () => ["--scope", "domain"],
  include: () => ["--include", "/"],
  maxBytes: () => ["--max-size", "1GB"],
  maxDepth: () => ["--max-depth", "1000"],
  maxPagesPerSite: () => ["--max-pages-per-site", "1000"],
  maxLinksPerPage: () => ["--max-links-per-page", "1"],
  order: () => ["--order", "dfs"],
  delayMs: () => ["--delay", "5"],
  userAgent: () => ["--user-agent", "other/2"],
};

/** These change what is found, or end the crawl, by their meaning; nothing may be there twice all the same. */
const CHANGE_RESULT: readonly SettingName[] = ["proxies", "sitemaps", "maxBodyBytes"];

interface Trial {
  readonly name: string;
  readonly words: readonly string[];
  /** All pages must be there in the end. */
  readonly isWhole: boolean;
  readonly inShort?: true;
}

function trials(folder: string): Trial[] {
  const single = [...settings].filter(([, { flag }]) => flag !== "");
  const all: Trial[] = single.map(([name, { examples }]) => ({
    name,
    words: OTHER_WORDS[name]?.(folder) ?? examples[0]!.replaceAll("'", "").split(" "),
    isWhole: !CHANGE_RESULT.includes(name),
  }));
  const more: [string, ...string[]][] = [
    ["store tree", "--store", "tree"],
    ["store none", "--store", "none"],
    ["order opic", "--order", "opic"],
    ["shards 3", "--shards", "3"],
    ["drop tracking", "--drop-tracking"],
    ["more threads and builders", "--threads", "3", "--builders", "2"],
    ["a file with another store", "--config", join(folder, "other.json")],
    ["the file as before", "--config", join(folder, "same.json")],
  ];
  const words = more.map(([name, ...rest]) => ({
    ...{ name, words: rest, isWhole: true, inShort: true as const },
  }));
  return [...all, ...words];
}

/** Row X11: every option on a crawl that was stopped is refused at once, or the crawl becomes what it would have been. */
export const attack: Attack = {
  row: "X11",
  what: "every option of the schema, and files of settings, on resume",
  async run(options) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    await withServer(
      ({ url = "/" }, response) => {
        const next = (url === "/" ? 0 : Number(url.slice(1))) + 1;
        sendPage(response, `page ${url} ${next < PAGES ? `<a href="/${next}">on</a>` : ""}`);
      },
      (port) =>
        withFolder(async (folder) => {
          await prepare(folder, `http://127.0.0.1:${port}/`, options);
          const all = trials(folder);
          const chosen = options.size === "full" ? all : all.filter(({ inShort }) => inShort);
          for (const trial of chosen) {
            options.onStep?.(trial.name);
            const found = await tryOn(trial, folder, options);
            figures[trial.name] = found.figures;
            problems.push(...found.problems.map((problem) => `${trial.name}: ${problem}`));
          }
        }),
    );
    const refused = Object.values(figures).filter(({ exit }) => exit === EXIT.usage).length;
    if (refused === 0 || refused === Object.keys(figures).length)
      problems.push(`${refused} of ${Object.keys(figures).length} refused`);
    return { figures, problems };
  },
  mutants: [
    {
      name: "what a crawl keeps may change",
      from: "|| isSame(name, old, now)",
      to: "|| true",
    },
    {
      name: "a file is not read",
      from: "file: configFileOf(args)",
      to: "file: undefined",
    },
  ],
};

async function prepare(folder: string, seed: string, { program }: AttackOptions): Promise<void> {
  const crawl = ["crawl", seed, "--delay", "0", "--quiet", "--threads", "2", "--out"];
  const limit = ["--max-pages", String(FIRST)];
  await runProgram(program, [...crawl, join(folder, "stopped"), ...limit]);
  await runProgram(program, [...crawl, join(folder, "finished")]);
  writeFileSync(join(folder, "seeds.txt"), `${seed}\n`);
  writeFileSync(join(folder, "handler.mjs"), "export default () => undefined;\n");
  const same = { seeds: [seed], store: "warc", "max-pages": 1000, threads: 1 };
  writeFileSync(join(folder, "same.json"), JSON.stringify(same));
  writeFileSync(join(folder, "other.json"), JSON.stringify({ ...same, store: "none" }));
}

async function tryOn({ words, isWhole }: Trial, folder: string, { program }: AttackOptions) {
  const out = join(folder, "out");
  const problems: string[] = [];
  cpSync(join(folder, "stopped"), out, { recursive: true });
  const before = digestOf(out);
  const more = words.includes("--max-pages") || words.includes("--config");
  const limit = more ? [] : ["--max-pages", "1000"];
  const run = await runProgram(program, ["resume", out, "--quiet", ...limit, ...words]);
  let pages = 0;
  if (run.code === EXIT.usage) {
    if (digestOf(out) !== before) problems.push("refused, and the folder was changed");
    if (!/^orbweaver: .* (?:cannot|needs) /.test(run.stderr)) problems.push(run.stderr);
  } else if (run.late || run.code !== EXIT.finished) {
    problems.push(`exit ${run.code}: ${run.stderr.slice(0, 300)}`);
  } else {
    const urls = readPages(out).map(({ url }) => url);
    pages = urls.length;
    const index = readFileSync(join(out, "indexes/index.cdxj"), "utf8").split("\n").length - 1;
    const logged = readLog(out).filter(({ outcome }) => outcome === "page").length;
    if (new Set(urls).size !== pages) problems.push("pages are there twice");
    if (isWhole && pages !== PAGES) problems.push(`${pages} pages of ${PAGES}`);
    // Sitemaps are in the index as well.
    if ((isWhole && index !== pages) || index < pages || logged !== pages)
      problems.push(`${pages} pages, ${index} in the index, ${logged} in the log`);
    const recovered = await runProgram(program, ["recover", out]);
    if (recovered.code !== 0) problems.push(`recover: exit ${recovered.code} ${recovered.stdout}`);
  }
  rmSync(out, { recursive: true, force: true });
  return { figures: { exit: run.code ?? -1, pages }, problems };
}

/** Of all names and contents. */
function digestOf(out: string): string {
  const hash = createHash("sha256");
  const names = existsSync(out) ? readdirSync(out, { recursive: true, withFileTypes: true }) : [];
  const files = names.filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort())
    hash.update(path).update(readFileSync(path));
  return hash.digest("hex");
}
