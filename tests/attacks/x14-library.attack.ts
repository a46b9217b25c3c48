import { existsSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { EXIT } from "../../src/errors.ts";
import { withFolder } from "../faults/drill.ts";
import { readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions } from "./attack.ts";
import { type LibraryLine, type LibraryTask, SOME_PAGES } from "./library-task.ts";
import { sendPage, withServer } from "./loopback-server.ts";
import { runProgram } from "./program-run.ts";

const CHILD = fileURLToPath(new URL("./library-process.js", import.meta.url));
/** Pages of the chain, each found on the one before. */
const CHAIN = 40;
const LATENCY_MS = 20;
/** After the tenth crawl nothing may grow by more than this. */
const FLAT_MIB = 24;
const FLAT_SHARED_MIB = 8;
const FLAT_FILES = 2;
const SETTLED = 10;
/** By turns the heaviest crawls come late: everything has been loaded once after two rounds of nine. */
const SETTLED_BY_TURNS = 18;
const LAST = 4;

const LISTENERS = {
  mutant: ["started", "async progress"],
  short: ["started", "async progress", "ended"],
  full: [
    ...["started", "progress", "async progress", "seedRedirected", "workerReplaced"],
    ...["stopping", "ended"],
  ],
};
/** The listeners of these throw when SOME_PAGES are committed. */
const LATER = ["progress", "async progress", "workerReplaced", "stopping"];
/** What becomes of a stopped crawl without one of its folders: made again, or missed. */
const FOLDERS: readonly [folder: string, exit: number][] = [
  ["reports", EXIT.finished],
  ["logs", EXIT.finished],
  ["tree", EXIT.finished],
  ["pages", EXIT.corrupt],
  ["indexes", EXIT.corrupt],
  ["links", EXIT.corrupt],
  ["archive", EXIT.corrupt],
  ["state/journals", EXIT.corrupt],
];

const SHORT_FOLDERS = ["reports", "logs", "indexes"];

/** Row X14: whatever happens in a program that uses the library, everything it took is given back. */
export const attack: Attack = {
  row: "X14",
  what: "many crawls in one process, listeners that throw, folders that are gone before resume",
  async run(options) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    await withServer(answer, (port) =>
      withFolder(async (folder) => {
        const setting = { options, origin: `http://127.0.0.1:${port}`, folder, figures, problems };
        await crawlOften(setting);
        const isWanted = (what: string) => options.isWanted?.(what) !== false;
        if (isWanted("listeners")) await throwInListeners(setting);
        if (options.size !== "mutant" && isWanted("folders")) await loseFolders(setting);
      }),
    );
    return { figures, problems };
  },
  mutants: [
    {
      name: "a closed bell leaves its wait",
      from: "if (this.#is[WAITING] === 1)",
      to: "if (false)",
    },
    {
      name: "no garbage is collected",
      from: "if (endedCrawls > 0)",
      to: "if (false)",
    },
    {
      name: "an error of a listener is thrown",
      from: "super({ captureRejections: true });",
      to: "super(); this.tell = this.emit;",
    },
    {
      name: "a start that fails waits for threads that were never begun",
      from: "await this.#dismissCrawlers();",
      to: "",
    },
  ],
};

interface Setting {
  readonly options: AttackOptions;
  readonly origin: string;
  readonly folder: string;
  readonly figures: Record<string, Record<string, number | string>>;
  readonly problems: string[];
}

function answer({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const step = /^\/chain\/(\d+)$/.exec(url)?.[1];
  if (url === "/moved") response.writeHead(302, { location: "/chain/0" }).end();
  else if (step === undefined) sendPage(response, "<a href=/a>a</a><a href=/b>b</a>");
  else {
    const next = (Number(step) + 1) % CHAIN;
    setTimeout(() => sendPage(response, `${step} <a href=/chain/${next}>on</a>`), LATENCY_MS);
  }
}

async function runLibrary(
  { options, origin, folder }: Setting,
  task: Pick<LibraryTask, "times" | "threads" | "frontier" | "ending"> & { path: string },
) {
  const { path, ...rest } = task;
  const library = pathToFileURL(join(options.program, "../../index.js")).href;
  const whole: LibraryTask = { ...rest, library, seed: origin + path, folder };
  const run = await runProgram(CHILD, [JSON.stringify(whole)], {
    maxMs: 10_000 + 6_000 * task.times,
  });
  const written = run.stdout.split("\n").filter((line) => line !== "");
  return { ...run, lines: written.map((line) => JSON.parse(line) as LibraryLine) };
}

async function crawlOften(setting: Setting): Promise<void> {
  const { options, figures, problems } = setting;
  const counts = { mutant: 12, short: 12, full: 200 };
  const times = counts[options.size];
  const endings: [LibraryTask["ending"], threads: number, frontier: "sharded" | "shared"][] = [
    ["by turns", 1, "sharded"],
    ["finished", 1, "sharded"],
  ];
  if (options.size !== "mutant") endings.push(["never run", 2, "sharded"]);
  if (options.size === "full")
    endings.push(
      ["finished", 2, "sharded"],
      ["finished", 2, "shared"],
      ["stopped", 1, "sharded"],
      ["stopped", 2, "shared"],
      ["by turns", 2, "sharded"],
    );
  for (const [ending, threads, frontier] of endings) {
    const name = `${ending}, T = ${threads}, ${frontier}`;
    if (options.isWanted?.(name) === false) continue;
    options.onStep?.(name);
    const path = ending === "finished" ? "/" : "/chain/0";
    // Judged when it has settled, also where few crawls are wanted.
    const settled = ending === "by turns" ? SETTLED_BY_TURNS : SETTLED;
    const crawls = Math.max(times, settled + 2 * LAST);
    const { code, late, lines, stderr } = await runLibrary(setting, {
      ...{ times: crawls, threads, frontier, ending, path },
    });
    if (code !== 0 || late)
      problems.push(`${name}: exit ${code}${late ? ", killed" : ""} ${stderr}`);
    // Memory goes up and down by what has not been collected yet, so the least of some crawls counts.
    const early = least(lines.slice(0, settled).slice(-LAST));
    const end = least(lines.slice(-LAST));
    figures[name] = { crawls: lines.length, ...rounded(early, "early"), ...rounded(end, "late") };
    const quiet = lines.findIndex(({ settled }) => settled === "finished");
    if (ending === "by turns" && quiet >= 0) problems.push(`${name}: crawl ${quiet} did not fail`);
    if (lines.length !== crawls) problems.push(`${name}: ${lines.length} crawls of ${crawls}`);
    const growth = (what: "rssMiB" | "sharedMiB" | "files", limit: number) => {
      const more = end[what] - early[what];
      if (more > limit) problems.push(`${name}: ${what} grew by ${more.toFixed(0)}`);
    };
    growth("rssMiB", FLAT_MIB);
    growth("sharedMiB", FLAT_SHARED_MIB);
    growth("files", FLAT_FILES);
  }
}

type Held = Pick<LibraryLine, "rssMiB" | "sharedMiB" | "files">;

function least(lines: readonly LibraryLine[]): Held {
  const of = (what: keyof Held) => Math.min(...lines.map((line) => line[what]));
  return { rssMiB: of("rssMiB"), sharedMiB: of("sharedMiB"), files: of("files") };
}

function rounded(held: Held, when: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(held).map(([name, value]) => [`${when} ${name}`, Math.round(value)]),
  );
}

/** Each crawl is stopped by its listener's error and goes on in the next run. */
async function throwInListeners(setting: Setting): Promise<void> {
  const { options, folder, origin, figures, problems } = setting;
  for (const event of LISTENERS[options.size]) {
    const ending = `throws in ${event}` as const;
    options.onStep?.(ending);
    const path = event === "seedRedirected" ? "/moved" : "/chain/0";
    const run = await runLibrary(setting, {
      ...{ times: 1, threads: 2, frontier: "sharded", ending, path },
    });
    const settled = run.lines[0]?.settled;
    const problem = (what: string) => problems.push(`${ending}: ${what}`);
    if (run.late) problem("the process never ended");
    if (run.code !== 0) problem(`exit ${run.code}: ${run.stderr.slice(0, 300)}`);
    if (settled !== `thrown in ${event}`) problem(`the promise ended with ${settled}`);
    const out = join(folder, "crawl-0");
    if (existsSync(join(out, "state/lock"))) problem("the lock is left");
    const before = existsSync(out) ? readPages(out).length : 0;
    if (LATER.includes(event) && before < SOME_PAGES) problem(`only ${before} pages are committed`);
    const resumed = await runProgram(options.program, ["resume", out, "--quiet"]);
    if (resumed.code !== 0) problem(`resume: exit ${resumed.code}: ${resumed.stderr}`);
    const urls = resumed.code === 0 ? readPages(out).map(({ url }) => url) : [];
    if (urls.length !== CHAIN || new Set(urls).size !== CHAIN)
      problem(`${urls.length} pages of ${CHAIN} from ${origin}`);
    figures[ending] = {
      "pages before": before,
      "pages after": urls.length,
      ms: Math.round(run.ms),
    };
    rmSync(out, { recursive: true, force: true });
  }
}

async function loseFolders({ options, origin, folder, figures, problems }: Setting): Promise<void> {
  const out = join(folder, "out");
  const folders = FOLDERS.filter(
    ([lost]) => options.size === "full" || SHORT_FOLDERS.includes(lost),
  );
  for (const [lost, exit] of folders) {
    options.onStep?.(`without ${lost}`);
    const args = ["crawl", `${origin}/chain/0`, "--out", out, "--delay", "0", "--quiet"];
    const rest = ["--threads", "1", "--store", "warc,tree", "--max-pages", "5"];
    await runProgram(options.program, [...args, ...rest]);
    rmSync(join(out, lost), { recursive: true });
    const again = ["resume", out, "--quiet", "--max-pages", "1000"];
    const { code, late, stderr } = await runProgram(options.program, again, { maxMs: 20_000 });
    const pages = code === 0 ? readPages(out).length : 0;
    figures[`without ${lost}`] = { exit: String(code), pages };
    if (late || code !== exit) problems.push(`without ${lost}: exit ${code}: ${stderr}`);
    if (exit === 0 && pages !== CHAIN) problems.push(`without ${lost}: ${pages} pages of ${CHAIN}`);
    if (exit !== 0 && !stderr.includes(lost)) problems.push(`without ${lost}: ${stderr}`);
    rmSync(out, { recursive: true, force: true });
  }
}
