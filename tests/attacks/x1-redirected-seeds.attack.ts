import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import { Random } from "../../src/web/seeded-random.ts";
import { withFolder } from "../faults/drill.ts";
import { readLines, readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import { type CountingServer, countingServer } from "./counting-server.ts";
import { runKilled } from "./killed-crawl.ts";

const PAGES = 4;
const MAX_UNCOMMITTED = 40;
/** Slow redirects come when links to their targets have long been refused. */
const SLOW_MS = 40;

type ScopeKind = "host" | "domain" | "prefix" | "any";

interface Variant {
  readonly seeds: number;
  readonly threads: number;
  readonly delayMs: number;
  readonly scope: ScopeKind;
  readonly kills: number;
  readonly shared?: boolean;
}

const seedOf = (i: number) => `http://go.seed${i}.test/`;
const hopOf = (i: number) => `http://go.hop${i}.test/docs/`;
const pageOf = (i: number, page: number) => `http://www.t${i}.test/docs/${page === 0 ? "" : page}`;
const OUTSIDE = "http://www.outside.test/docs/";

/**
 * Seed i redirects to target i, every fifth one by way of another host. A target's second page is linked from its first
 * page, the others only from the pages of other targets: they are lost if those were read too early and nobody looks again.
 */
function answersOf(seeds: number): Parameters<typeof countingServer>[0] {
  return (url, response) => {
    const [, kind, number] = /^\w+\.(seed|hop|t)(\d+)\.test$/.exec(url.hostname) ?? [];
    const i = Number(number);
    if (kind === "seed" || kind === "hop") {
      const location = kind === "seed" && i % 5 === 4 ? hopOf(i) : pageOf(i, 0);
      const answer = () => response.writeHead(302, { location }).end();
      if (i % 2 === 1) setTimeout(answer, SLOW_MS);
      else answer();
      return;
    }
    const page = Number(url.pathname.slice("/docs/".length) || 0);
    if (kind !== "t" || !(page < PAGES)) {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>no links</title>");
      return;
    }
    const links = [
      OUTSIDE,
      pageOf(i, 1),
      pageOf((i + 1) % seeds, 2),
      ...(page === 1 ? [pageOf((i + seeds - 1) % seeds, 3)] : []),
    ];
    const body = links.map((link) => `<a href="${link}">x</a>`).join("");
    response.writeHead(200, { "content-type": "text/html" }).end(`<title>${url}</title>${body}`);
  };
}

function variantsOf(size: AttackOptions["size"]): Variant[] {
  const host = { scope: "host", delayMs: 0, kills: 0 } as const;
  if (size === "mutant") return [{ ...host, seeds: 50, threads: 2, kills: 2 }];
  const short: Variant[] = [
    { ...host, seeds: 1, threads: 1 },
    { ...host, seeds: 10, threads: 2, scope: "domain", delayMs: 50, kills: 1 },
    { ...host, seeds: 50, threads: 4, kills: 2 },
    { ...host, seeds: 50, threads: 2, scope: "prefix" },
    { ...host, seeds: 50, threads: 2, shared: true },
  ];
  if (size === "short") return short;
  const kinds: ScopeKind[] = ["host", "domain", "prefix", "any"];
  const all: Variant[] = [];
  for (const seeds of [1, 10, 50, 300, 2000])
    for (const threads of [1, 2, 4])
      for (const delayMs of [0, 50]) {
        const scope = kinds[all.length % kinds.length]!;
        all.push({ seeds, threads, delayMs, scope, kills: seeds >= 50 && seeds < 2000 ? 2 : 1 });
      }
  return [
    ...short,
    ...all,
    ...kinds.map((scope) => ({ ...host, seeds: 300, threads: 4, scope, shared: true })),
  ];
}

async function attackOnce(
  options: AttackOptions,
  variant: Variant,
  random: Random,
): Promise<{ figures: Record<string, number | string>; problems: string[] }> {
  const server = await countingServer(answersOf(variant.seeds));
  try {
    return await withFolder((folder) => crawlOnce(options, variant, random, server, folder));
  } finally {
    await server.close();
  }
}

async function crawlOnce(
  { program }: AttackOptions,
  variant: Variant,
  random: Random,
  server: CountingServer,
  folder: string,
): Promise<{ figures: Record<string, number | string>; problems: string[] }> {
  const { seeds, threads, delayMs, scope, shared = false } = variant;
  const out = join(folder, "out");
  const seedsFile = join(folder, "seeds.txt");
  const lines = Array.from({ length: seeds }, (_, i) => seedOf(i));
  writeFileSync(seedsFile, `${lines.join("\n")}\n`);
  const expected = Array.from({ length: seeds }, (_, i) =>
    Array.from({ length: PAGES }, (_, page) => pageOf(i, page)),
  ).flat();
  if (scope === "any") expected.push(OUTSIDE);
  const requests = expected.length + 1.2 * seeds;
  const kills = Array.from({ length: variant.kills }, () =>
    Math.ceil((requests * (0.2 + 0.7 * random.next())) / variant.kills),
  );
  const first = ["--seeds", seedsFile, "--scope", scope, "--delay", String(delayMs), "--no-robots"];
  const more = ["--threads", String(threads), "--allow-private", "127.0.0.0/8"];
  const urls = [...lines, ...lines.map((_, i) => hopOf(i)), ...expected, OUTSIDE];
  const names = new Set(urls.map((url) => new URL(url).hostname));
  const frontier = shared ? ["--frontier", "shared"] : [];
  const limits = ["--max-uncommitted", String(MAX_UNCOMMITTED), "--sitemaps", "off"];
  const end = await runKilled({
    program,
    server,
    out,
    first: [...first, ...more, ...limits, ...frontier, ...server.resolve(names)],
    later: (run) => ["--threads", String(1 + (run % 4))],
    kills,
  });
  const problems: string[] = [];
  const complain = (what: string) => problems.push(`${nameOf(variant)}: ${what}`);
  if (end.code !== EXIT.finished) {
    complain(`ended with ${end.code}: ${end.stderr.slice(-500)}`);
    return { figures: { pages: 0 }, problems };
  }
  const pages = readPages(out).map(({ url }) => url);
  const found = new Set(pages);
  const lost = expected.filter((url) => !found.has(url));
  if (lost.length > 0) complain(`${lost.length} pages are lost, one is ${lost[0]}`);
  if (pages.length !== found.size) complain(`${pages.length - found.size} pages stand there twice`);
  const skipped = readLines<{ url: string }>(join(out, "reports/skipped.jsonl"));
  const wrong = skipped.filter(({ url }) => url !== OUTSIDE || scope === "any");
  if (wrong.length > 0) complain(`${wrong.length} skipped links are in scope: ${wrong[0]!.url}`);
  if (scope !== "any" && server.asked.has(OUTSIDE)) complain("something out of scope was fetched");
  const again = [...server.asked.values()].reduce((sum, count) => sum + count - 1, 0);
  if (again > end.kills * MAX_UNCOMMITTED) complain(`${again} URLs were fetched again`);
  return { figures: { pages: pages.length, lost: lost.length, kills: end.kills, again }, problems };
}

function nameOf({ seeds, threads, delayMs, scope, shared }: Variant): string {
  return `${seeds} seeds, T ${threads}, ${delayMs} ms, ${scope}${shared ? ", shared" : ""}`;
}

/** X1: seeds that redirect to other hosts widen the scope. */
export const attack: Attack = {
  row: "X1",
  what: "seeds that redirect to other hosts, whose pages link to each other",
  async run(options): Promise<AttackResult> {
    const random = new Random(options.seed);
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    for (const variant of variantsOf(options.size)) {
      const result = await attackOnce(options, variant, random);
      figures[nameOf(variant)] = result.figures;
      problems.push(...result.problems);
      options.onStep?.(`${nameOf(variant)}: ${JSON.stringify(result.figures)}`);
    }
    return { figures, problems };
  },
  mutants: [
    {
      name: "refused links are never judged again",
      from: 'return this.#targets.size > this.#looked ? "look" : "end";',
      to: 'return "end";',
    },
    {
      name: "facts are not journalled",
      from: "this.#batch.extension(fact.kind, fact.bytes);",
      to: "",
    },
    {
      name: "links that were admitted after all stay in the list",
      from: "judgeSkipped(this.#out, (line) =>",
      to: "(() => {})(this.#out, (line) =>",
    },
  ],
};
