import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { NameServer } from "../../src/web/hostile/name-server.ts";
import { withFolder } from "../faults/drill.ts";
import { readLines, readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions } from "./attack.ts";
import { sendPage, withServer } from "./loopback-server.ts";
import { runProgram } from "./program-run.ts";

/** A trap has to be stopped by then, with what was in flight. */
const MAX_PAGES = 5_500;
/** Without the promise, this is where the crawl ends. */
const GIVE_UP = 12_000;
const HONEST = 8_000;
const SITE = "trap.test";
const LINKS = 4;
const SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve wi xo zu ka le mo ni pa".split(" ");
const TEXT =
  "We are a family business in the third generation and we make chairs, tables and other things of wood for homes and gardens. Our workshop is open to visitors, and every piece is made by hand after your wishes. Ask us for an offer, and we will be glad to answer your questions about wood, oil and care.";

/** Pages by path and host name; `random` depends on both alone. */
type Web = (host: string, path: string, random: () => number) => string;

interface Variant {
  readonly name: string;
  readonly web: Web;
  readonly threads: readonly number[];
  /** Pages when it is honest: all of them must be there. */
  readonly honest?: number;
  readonly resumed?: true;
  readonly onlyFull?: true;
}

function word(random: () => number, syllables = 3): string {
  return Array.from({ length: syllables }, () => SYLLABLES[Math.floor(random() * 20)]!).join("");
}

function slug(random: () => number): string {
  return Array.from({ length: 4 }, () => word(random, 2)).join("-");
}

const SLUGS: Web = (_host, _path, random) =>
  `<title>Chairs</title><p>${TEXT}</p>${anchors(() => `/${slug(random)}`)}`;
const SUBDOMAINS: Web = (host, _path, random) =>
  `<title>Welcome</title><p>Welcome to ${host}!</p><p>${TEXT}</p>${anchors(() => `//${word(random, 5)}.${SITE}:PORT/`)}`;

const VARIANTS: readonly Variant[] = [
  { name: "slugs", web: SLUGS, threads: [1, 2, 4] },
  { name: "subdomains", web: SUBDOMAINS, threads: [1, 2, 4] },
  {
    name: "slugs on subdomains",
    web: (_host, _path, random) =>
      `<p>${TEXT}</p>${anchors(() => `//${word(random, 5)}.${SITE}:PORT/${slug(random)}`)}`,
    threads: [2],
    onlyFull: true,
  },
  {
    name: "slugs with their own title, date and words",
    web: (_host, path, random) => {
      const own = `${word(random)} ${word(random)}`;
      const day = new Date(random() * 1e12).toUTCString();
      const links = anchors(() => `/${slug(random)}`);
      return `<title>${own}</title><h1>${own}</h1>${path} ${day} at 12:${Math.floor(random() * 60)} <p>${TEXT}</p>${links}`;
    },
    threads: [1, 2],
    onlyFull: true,
  },
  { name: "slugs, resumed", web: SLUGS, threads: [2], resumed: true, onlyFull: true },
  {
    name: "honest: own texts in a large frame",
    web: (_host, path, random) => {
      const own = Array.from({ length: 30 }, () => word(random, 2)).join(" ");
      return `<title>Chairs</title><p>${TEXT}</p><p>${own}</p>${numbered(path)}<p>${TEXT}</p>`;
    },
    threads: [1, 2],
    honest: HONEST,
  },
  {
    name: "honest: lists of files",
    web: (_host, path) =>
      `<h1>Index of ${path}</h1>${numbered(path)}<address>Server at ${SITE} port 80</address>`,
    threads: [2],
    honest: HONEST,
    onlyFull: true,
  },
];

function anchors(target: () => string): string {
  return Array.from({ length: LINKS }, () => {
    const href = target();
    return `<a href="${href}">${href.replace(/\W+/g, " ")}</a> `;
  }).join("");
}

/** The links of an honest site: a tree of numbered pages. */
function numbered(path: string): string {
  const at = Number(/\d+/.exec(path)?.[0] ?? 0);
  const next = Array.from({ length: LINKS }, (_, i) => LINKS * at + i + 1);
  return next.map((to) => (to < HONEST ? `<a href="/n${to}">${to}</a> ` : "")).join("");
}

/** Row X12: a site whose pages all have the same text is stopped, however its pages and hosts are named. */
export const attack: Attack = {
  row: "X12",
  what: "the same text under ever new names and on ever new subdomains, and honest sites of that size",
  async run(options) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    for (const variant of VARIANTS) {
      if (variant.onlyFull && options.size !== "full") continue;
      const counts = options.size === "full" ? variant.threads : [variant.threads.at(0)!];
      for (const threads of counts) {
        const title = `${variant.name}, T = ${threads}`;
        options.onStep?.(title);
        const found = await play(variant, threads, options);
        figures[title] = found.figures;
        problems.push(...found.problems.map((problem) => `${title}: ${problem}`));
      }
    }
    return { figures, problems };
  },
  mutants: [
    { name: "no site is condemned", from: "share >= CONDEMNED_SHARE", to: "share > 2" },
    {
      name: "evidence is by host",
      from: "siteOf(hostnameOf(url))",
      to: "hostnameOf(url)",
    },
    {
      name: "texts of their own are not seen",
      from: "fresh <= allowed",
      to: "fresh <= 1e9",
    },
  ],
};

async function play({ web, honest, resumed }: Variant, threads: number, options: AttackOptions) {
  const problems: string[] = [];
  const names = await NameServer.start((name, family) =>
    name.endsWith(SITE) && family === 4 ? { records: ["127.0.0.1"] } : { records: [] },
  );
  const answer = ({ url = "/", headers }: IncomingMessage, response: ServerResponse) => {
    const [host, port] = (headers.host ?? "").split(":");
    sendPage(response, web(host!, url, randomOf(`${host}${url}`)).replaceAll("PORT", port!));
  };
  try {
    return await withServer(answer, (port) =>
      withFolder(async (folder) => {
        const out = join(folder, "out");
        const common = ["--quiet", "--name-server", names.address, "--retries", "0"];
        const first = [
          ...[
            "crawl",
            `http://${SITE}:${port}/`,
            "--out",
            out,
            "--scope",
            "domain",
            "--delay",
            "0",
          ],
          ...["--contact", "x@example.org", "--allow-private", "127.0.0.0/8", "--store", "none"],
          ...["--threads", String(threads), ...common],
        ];
        const limits = resumed ? [2_000, GIVE_UP] : [GIVE_UP];
        let code: number | null = 0;
        let stderr = "";
        for (const [number, limit] of limits.entries()) {
          const words = number === 0 ? first : ["resume", out, ...common];
          const args = [...words, "--max-pages", String(limit)];
          ({ code, stderr } = await runProgram(options.program, args, { maxMs: 240_000 }));
        }
        const pages = readPages(out).length;
        const skipped = readLines<{ reason: string }>(join(out, "reports/skipped.jsonl"));
        const refused = readLines<{ error?: string }>(join(out, "logs/crawl.jsonl"));
        const told =
          skipped.filter(({ reason }) => reason === "trap_same_text").length +
          refused.filter(({ error }) => error === "trap_same_text").length;
        if (honest === undefined) {
          const most = resumed ? MAX_PAGES + 2_000 : MAX_PAGES;
          if (code !== 0 || pages > most)
            problems.push(`exit ${code} after ${pages} pages ${stderr}`);
          if (told === 0) problems.push("nothing tells why");
        } else if (code !== 0 || pages !== honest || told > 0)
          problems.push(`exit ${code}, ${pages} pages of ${honest}, ${told} refused ${stderr}`);
        return { figures: { pages, told, exit: String(code) }, problems };
      }),
    );
  } finally {
    await names.close();
  }
}

/** Random numbers that depend on a text alone: a page is the same whenever it is asked for. */
function randomOf(text: string): () => number {
  let state = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x85ebca6b);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}
