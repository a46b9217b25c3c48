import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type DnsAnswer, NameServer } from "../../src/web/hostile/name-server.ts";
import { withFolder } from "../faults/drill.ts";
import { readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions } from "./attack.ts";
import { sendPage, withServer } from "./loopback-server.ts";
import { type ProgramRun, runProgram } from "./program-run.ts";

const GUARD = fileURLToPath(new URL("./guard-connects.js", import.meta.url));
/** Looks public to the crawler; the guard plays it on this machine. */
const PUBLIC = "93.184.216.34";
const PLAYED = "127.66.0.1";
/** Private like any other address of this machine: where a consented name was, and what it must never lead to. */
const OWN = "127.0.0.5";
const VICTIM = "127.0.0.9";
const METADATA = "169.254.169.254";
const PAGES = 12;
/** Pages of this name in the first run, where there is another. */
const FIRST = 3;
const NAME = "flip.test";

/** What the name leads to; `nth` counts all questions for addresses of this family. */
type Answers = (family: 4 | 6, nth: number) => DnsAnswer;

interface Variant {
  readonly name: string;
  /** One for every run of the crawl; a run behind the first resumes it. */
  readonly runs: readonly Answers[];
  /** In place of the typed URL's consent. */
  readonly args?: readonly string[];
  /** The seed is another host, which is typed, and leads here. */
  readonly fromNeighbour?: "link" | "redirect";
  /** Pages of this name that must be there in the end. */
  readonly pages: number;
  readonly onlyFull?: boolean;
}

const only =
  (...addresses: string[]): Answers =>
  (family) => ({ records: addresses.filter((ip) => ip.includes(":") === (family === 6)) });
/** Public when the crawl begins, and something else to whoever asks again. */
const flips =
  (first: Answers, then: Answers): Answers =>
  (family, nth) =>
    nth === 1 ? first(family, nth) : then(family, nth);

const SIX = "0000:0000:0000:0000:0000:0000:0000:0001";

const VARIANTS: readonly Variant[] = [
  { name: "public, then private", runs: [flips(only(PUBLIC), only(VICTIM))], pages: 0 },
  { name: "public, then metadata", runs: [flips(only(PUBLIC), only(METADATA))], pages: 0 },
  { name: "public, private on resume", runs: [only(PUBLIC), only(VICTIM)], pages: FIRST },
  { name: "private and so on resume", runs: [only(OWN), only(OWN)], pages: PAGES },
  { name: "private, elsewhere on resume", runs: [only(OWN), only(VICTIM)], pages: FIRST },
  { name: "private, also elsewhere on resume", runs: [only(OWN), only(OWN, VICTIM)], pages: FIRST },
  {
    name: "--allow-private NAME, elsewhere on resume",
    runs: [only(OWN), only(VICTIM)],
    args: ["--allow-private", NAME],
    fromNeighbour: "link",
    pages: FIRST,
    onlyFull: true,
  },
  {
    name: "unknown, then private",
    runs: [flips(() => ({ rcode: 2 }), only(VICTIM)), only(VICTIM)],
    pages: 0,
  },
  { name: "IPv6, then IPv4", runs: [only(SIX), only(VICTIM)], pages: FIRST, onlyFull: true },
  {
    name: "redirect of a neighbour",
    runs: [flips(only(PUBLIC), only(VICTIM))],
    fromNeighbour: "redirect",
    // Asked for once, when the first page of it is fetched: all pages come from there.
    pages: PAGES,
    onlyFull: true,
  },
  {
    name: "link of a neighbour",
    runs: [flips(only(PUBLIC), only(VICTIM))],
    fromNeighbour: "link",
    // Asked for once, when the first page of it is fetched: all pages come from there.
    pages: PAGES,
    onlyFull: true,
  },
];

/** Row X2: consent to a private address is consent to the address that the name had when the crawl began. */
export const attack: Attack = {
  row: "X2",
  what: "typed names that are public, or private elsewhere, until the crawl has begun",
  async run(options) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    const variants = VARIANTS.filter(({ onlyFull }) => options.size === "full" || !onlyFull);
    const threads = options.size === "full" ? [1, 2] : [1];
    const frontiers = options.size === "full" ? ["sharded", "shared"] : ["sharded"];
    for (const variant of variants)
      for (const count of threads)
        for (const frontier of frontiers) {
          // A shared frontier cannot be resumed.
          if (frontier === "shared" && variant.runs.length > 1) continue;
          const title = `${variant.name}, T = ${count}, ${frontier}`;
          options.onStep?.(title);
          const args = ["--threads", String(count), "--frontier", frontier];
          const found = await play(variant, options, args);
          figures[title] = found.figures;
          problems.push(...found.problems.map((problem) => `${title}: ${problem}`));
        }
    return { figures, problems };
  },
  mutants: [
    {
      name: "consent is by name",
      from: "suspect.every(isAllowed)",
      to: "suspect.every(address => isAllowed(address) || this.#consents.size > 0)",
    },
    {
      name: "consent is looked up again on resume",
      from: ", this.#state.consents)",
      to: ")",
    },
    {
      name: "one allowed address is enough",
      from: "suspect.every(isAllowed)",
      to: "suspect.some(isAllowed)",
    },
  ],
};

async function play(variant: Variant, { program }: AttackOptions, args: readonly string[]) {
  const problems: string[] = [];
  let visits = 0;
  let ofRun = variant.runs[0]!;
  const asked = { 4: 0, 6: 0 };
  const names = await NameServer.start((name, family) => {
    if (name !== NAME) return { rcode: 3 };
    return ofRun(family, ++asked[family]);
  });
  const victim = (_request: unknown, response: ServerResponse) => {
    visits++;
    sendPage(response, "a secret");
  };
  const runs: ProgramRun[] = [];
  let connects: string[] = [];
  let pages = 0;
  const onServers = (port: number) =>
    withFolder(async (folder) => {
      const out = join(folder, "out");
      const connectsFile = join(folder, "connects");
      const seed =
        variant.fromNeighbour === undefined
          ? `http://${NAME}:${port}/`
          : `http://127.0.0.1:${port}/${variant.fromNeighbour}`;
      for (const [number, answers] of variant.runs.entries()) {
        ofRun = answers;
        asked[4] = 0;
        asked[6] = 0;
        const isLast = number === variant.runs.length - 1;
        const common = ["--quiet", "--json", "--delay", "0", "--name-server", names.address];
        const first = ["crawl", seed, "--out", out, "--contact", "x@example.org", "--retries", "0"];
        // Something is left for the next run.
        const inFirst = variant.fromNeighbour === undefined ? FIRST : FIRST + 1;
        const limit = ["--max-pages", String(isLast ? 1000 : inFirst)];
        const words = number === 0 ? [...first, "--scope", "any", ...args] : ["resume", out];
        const rest = [...common, ...(number === 0 ? (variant.args ?? []) : []), ...limit];
        const env = {
          NODE_OPTIONS: `--import ${pathToFileURL(GUARD).href}`,
          ATTACK_CONNECTS: connectsFile,
          ATTACK_PUBLIC: `${PUBLIC}=${PLAYED}`,
        };
        const run = await runProgram(program, [...words, ...rest], { env, maxMs: 30_000 });
        runs.push(run);
        if (run.late || ![0, 3, 6].includes(run.code ?? -1))
          problems.push(`run ${number} ended with ${run.code}: ${run.stderr.slice(0, 300)}`);
      }
      connects = existsSync(connectsFile)
        ? readFileSync(connectsFile, "utf8").split("\n").filter(Boolean)
        : [];
      pages = readPages(out).filter(({ url }) => url.includes(NAME)).length;
    });
  try {
    await withServer(answerAs, (port) => {
      const here = [OWN, PLAYED, "::1"].map((host) => ({ host, answer: answerAs }));
      const all = [...here, { host: VICTIM, answer: victim }];
      const start = all.reduce(
        (inner, { host, answer }) =>
          () =>
            withServer(answer, inner, { host, port }),
        () => onServers(port),
      );
      return start();
    });
  } finally {
    await names.close();
  }
  const bad = connects.filter((line) => [VICTIM, METADATA].includes(line.split(" ")[0]!)).length;
  if (visits + bad > 0)
    problems.push(`${bad} connections, ${visits} requests to what was not consented to`);
  if (pages !== variant.pages) problems.push(`${pages} pages of ${variant.pages}`);
  return { figures: { runs: runs.length, pages, connects: connects.length, bad }, problems };
}

/** A site whose pages lead to each other one by one, and the neighbour that leads there. */
function answerAs({ url = "/", headers }: IncomingMessage, response: ServerResponse): void {
  const port = (headers.host ?? "").split(":").at(-1);
  const site = `http://${NAME}:${port}`;
  if (url === "/redirect") response.writeHead(302, { location: `${site}/` }).end();
  else if (url === "/link") sendPage(response, `<a href="${site}/">x</a>`);
  else {
    const next = url === "/" ? 1 : Number(url.slice(1)) + 1;
    sendPage(response, next < PAGES ? `${url} <a href="/${next}">on</a>` : "the end");
  }
}
