import { join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import { siteOf } from "../../src/url/site.ts";
import { Random } from "../../src/web/seeded-random.ts";
import { startCrawl, withFolder } from "../faults/drill.ts";
import { readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import { type CountingServer, countingServer } from "./counting-server.ts";
import { runKilled } from "./killed-crawl.ts";

const BIG_BYTES = 9 * 1024 * 1024;
const MAX_BYTES = 20_000_000;
/** Head of a response, and the page that names all the others. */
const SMALL_BYTES = 64 * 1024;
const MAX_UNCOMMITTED = 24;
/** A page in seven is missing: it gives its place back. */
const MISSING = 7;
const SITE_PAGES = 150;

interface Crawled {
  readonly figures: Record<string, number | string>;
  readonly problems: string[];
}

/** Bytes that were sent, whether or not somebody waited for the end. */
const sent = { bytes: 0 };

/** One page that links to many of 9 MiB, each at a site of its own. */
function bigAnswers(hosts: number): Parameters<typeof countingServer>[0] {
  const filler = Buffer.alloc(BIG_BYTES, "all work and no play ");
  const links = Array.from({ length: hosts }, (_, i) => `<a href="${bigOf(i)}">x</a>`);
  return (url, response) => {
    const body = url.hostname === "start.test" ? Buffer.from(links.join("")) : filler;
    const socket = response.socket!;
    const before = socket.bytesWritten;
    response.on("close", () => {
      sent.bytes += socket.bytesWritten - before;
    });
    response.writeHead(200, { "content-type": "text/html", "content-length": body.length });
    response.end(body);
  };
}

const bigOf = (i: number) => `http://www.big${i}.test/`;

interface SizeVariant {
  readonly threads: number;
  readonly places: number;
  readonly hosts: number;
  readonly resumes: number;
  readonly shared?: boolean;
}

function common(threads: number, places: number, shared = false): string[] {
  return [
    ...["--delay", "0", "--no-robots", "--sitemaps", "off", "--no-traps", "--scope", "any"],
    ...["--threads", String(threads), "--links-per-thread", String(places)],
    ...["--max-uncommitted", String(MAX_UNCOMMITTED), "--allow-private", "127.0.0.0/8"],
    ...(shared ? ["--frontier", "shared"] : []),
  ];
}

async function crawlBig(
  { program }: AttackOptions,
  variant: SizeVariant,
  server: CountingServer,
  folder: string,
): Promise<Crawled> {
  const { threads, places, hosts, resumes, shared } = variant;
  const problems: string[] = [];
  const out = join(folder, "out");
  const names = ["start.test", ...Array.from({ length: hosts }, (_, i) => `www.big${i}.test`)];
  sent.bytes = 0;
  let requests = 0;
  for (let run = 0; run <= resumes; run++) {
    // Every second run may have more, so it goes on; the others find that the limit is reached.
    const limit = MAX_BYTES * (1 + Math.floor(run / 2));
    const isSpent = run % 2 === 1;
    const first = ["crawl", "http://start.test/", "--out", out, ...server.resolve(names)];
    const args = run === 0 ? [...first, ...common(threads, places, shared)] : ["resume", out];
    const store = run === 0 ? ["--store", "none"] : [];
    const size = ["--max-size", String(limit), "--json", "--quiet"];
    const { code, stderr } = await startCrawl([...args, ...size, ...store], {}, { program }).ended;
    const most = limit + Math.min(hosts, threads * places) * BIG_BYTES + SMALL_BYTES * (hosts + 1);
    if (code !== EXIT.limit) problems.push(`run ${run} ended with ${code}: ${stderr.slice(-300)}`);
    if (sent.bytes > most) problems.push(`${sent.bytes} bytes in all, not ${most}`);
    if (sent.bytes < limit && code === EXIT.limit) problems.push(`stopped at ${sent.bytes} bytes`);
    const asked = server.requests() - requests;
    requests += asked;
    if (isSpent && asked > 0) problems.push(`${asked} requests although the limit was reached`);
    if (problems.length > 0) break;
  }
  return { figures: { MB: Math.round(sent.bytes / 1e6), requests }, problems };
}

/** Sites of two hosts each, whose pages link to the next ones on both. */
function siteAnswers(sites: number): Parameters<typeof countingServer>[0] {
  return (url, response) => {
    const site = /\.site(\d+)\.test$/.exec(url.hostname)?.[1];
    const page = Number(url.pathname.slice(1) || 0);
    const links: string[] = [];
    if (site === undefined) for (let i = 0; i < sites; i++) links.push(pageOf(i, 1));
    else for (let next = 1; next <= 10; next++) links.push(pageOf(Number(site), page + next));
    const isMissing = page > SITE_PAGES || (page > 0 && page % MISSING === 0);
    const body = links.map((link) => `<a href="${link}">x</a>`).join("");
    response.writeHead(isMissing ? 404 : 200, { "content-type": "text/html" });
    response.end(`<title>${url}</title>${isMissing ? "" : body}`);
  };
}

const pageOf = (site: number, page: number) =>
  `http://${page % 2 === 0 ? "a" : "b"}.site${site}.test/${page}`;

interface BudgetVariant {
  readonly threads: number;
  readonly kills: number;
  readonly sites: number;
  readonly perSite: number;
  /** `--max-pages` of all but the last run. */
  readonly maxPages?: number;
  readonly shared?: boolean;
}

async function crawlSites(
  { program }: AttackOptions,
  variant: BudgetVariant,
  random: Random,
  server: CountingServer,
  folder: string,
): Promise<Crawled> {
  const { threads, sites, perSite, maxPages, shared } = variant;
  const problems: string[] = [];
  const out = join(folder, "out");
  const hosts = Array.from({ length: sites }, (_, i) => [`a.site${i}.test`, `b.site${i}.test`]);
  const names = ["start.test", ...hosts.flat()];
  const budget = ["--max-pages-per-site", String(perSite), "--per-host", "8"];
  const first = ["http://start.test/", ...common(threads, 16, shared), ...budget];
  const pages = maxPages === undefined ? [] : ["--max-pages", String(maxPages)];
  const all = sites * perSite + 1;
  const kills = Array.from({ length: variant.kills }, () =>
    Math.ceil((all * (0.2 + 0.7 * random.next())) / variant.kills),
  );
  const { code, stderr } = await runKilled({
    program,
    server,
    out,
    first: [...first, ...pages, ...server.resolve(names)],
    later: (run) => ["--threads", String(1 + (run % 4))],
    kills,
  });
  const check = (expected: number, ending: number | null) => {
    const bySite = new Map<string, number>();
    for (const { url } of readPages(out)) {
      const site = siteOf(new URL(url).hostname);
      bySite.set(site, (bySite.get(site) ?? 0) + 1);
    }
    const total = [...bySite.values()].reduce((sum, count) => sum + count, 0);
    bySite.delete("start.test");
    if (total !== expected) problems.push(`${total} pages, not ${expected}`);
    const wrong = [...bySite].filter(([, count]) =>
      expected === all ? count !== perSite : count > perSite,
    );
    if (wrong.length > 0) problems.push(`${wrong[0]![0]} has ${wrong[0]![1]} of ${perSite} pages`);
    const right = expected === all ? EXIT.finished : EXIT.limit;
    if (ending !== right) problems.push(`ended with ${ending}: ${stderr.slice(-300)}`);
    return total;
  };
  let total = check(maxPages ?? all, code);
  if (maxPages !== undefined && problems.length === 0) {
    const more = ["resume", out, "--max-pages", String(2 * all), "--json", "--quiet"];
    total = check(all, (await startCrawl(more, {}, { program }).ended).code);
  }
  return { figures: { pages: total, requests: server.requests() }, problems };
}

function variantsOf(size: AttackOptions["size"]): {
  sizes: SizeVariant[];
  budgets: BudgetVariant[];
} {
  const small = { sites: 6, perSite: 20, kills: 0 };
  if (size === "mutant")
    return {
      sizes: [{ threads: 1, places: 1, hosts: 12, resumes: 1 }],
      budgets: [
        { ...small, threads: 2, kills: 1 },
        { ...small, threads: 4, shared: true },
      ],
    };
  const sizes: SizeVariant[] = [
    { threads: 1, places: 1, hosts: 20, resumes: 3 },
    { threads: 2, places: 8, hosts: 30, resumes: 1 },
    { threads: 2, places: 4, hosts: 20, resumes: 0, shared: true },
  ];
  const budgets: BudgetVariant[] = [
    { ...small, threads: 2, kills: 2 },
    { ...small, threads: 4, maxPages: 50 },
    { ...small, threads: 4, shared: true },
  ];
  if (size === "short") return { sizes, budgets };
  for (const threads of [1, 2, 4])
    for (const places of [1, 8, 64]) {
      const hosts = Math.min(100, 6 + 2 * threads * places);
      sizes.push({ threads, places, hosts, resumes: 4 });
      sizes.push({ threads, places, hosts, resumes: 0, shared: true });
    }
  for (const threads of [1, 2, 4])
    for (const sites of [1, 6, 30]) {
      const many = { threads, sites, perSite: 40 };
      budgets.push({ ...many, kills: 3 }, { ...many, kills: 2, maxPages: 30 });
      budgets.push({ ...many, kills: 0, shared: true });
    }
  return { sizes, budgets };
}

/** X10: limits of bytes and of pages per site, kept over kills and runs. */
export const attack: Attack = {
  row: "X10",
  what: "limits: --max-size with pages of 9 MiB, budgets of sites; resumed, killed, shared",
  async run(options): Promise<AttackResult> {
    const random = new Random(options.seed);
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    const run = async (
      name: string,
      answers: Parameters<typeof countingServer>[0],
      crawl: (server: CountingServer, folder: string) => Promise<Crawled>,
    ) => {
      const server = await countingServer(answers);
      try {
        const result = await withFolder((folder) => crawl(server, folder));
        figures[name] = result.figures;
        problems.push(...result.problems.map((problem) => `${name}: ${problem}`));
        options.onStep?.(`${name}: ${JSON.stringify(result.figures)}`);
      } finally {
        await server.close();
      }
    };
    const { sizes, budgets } = variantsOf(options.size);
    for (const variant of sizes) {
      const { threads, places, resumes, shared, hosts } = variant;
      const how = `${resumes} resumes${shared ? ", shared" : ""}`;
      await run(`size, T ${threads}, L ${places}, ${how}`, bigAnswers(hosts), (server, folder) =>
        crawlBig(options, variant, server, folder),
      );
    }
    for (const variant of budgets) {
      const { threads, sites, kills, maxPages, shared } = variant;
      const how = `${kills} kills${maxPages ? ", --max-pages" : ""}${shared ? ", shared" : ""}`;
      await run(`budgets, T ${threads}, ${sites} sites, ${how}`, siteAnswers(sites), (...web) =>
        crawlSites(options, variant, random, ...web),
      );
    }
    return { figures, problems };
  },
  mutants: [
    {
      name: "the limit of bytes is not looked at",
      from: "total.value < maxBytes)",
      to: "total.value < Infinity)",
    },
    {
      name: "bytes of earlier runs do not count",
      from: "control.bytes.set(starts.reduce(",
      to: "control.bytes.set(0 * starts.reduce(",
    },
    {
      name: "pages of a site are not journalled",
      from: "this.#batch.site(low, high, 1);",
      to: "",
    },
    {
      name: "places of a site are not reserved",
      from: "else if (pages + reserved >= limit)",
      to: "else if (pages >= limit)",
    },
    {
      name: "places in the shared table are not reserved",
      from: "if (taken >= this.#limit)",
      to: "if (this.isSpent((at - TAKEN) / SLOT_WORDS))",
    },
  ],
};
