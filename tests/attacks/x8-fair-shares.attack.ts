import type { Attack, AttackSize } from "./attack.ts";
import { honestRatio, type Neighbour } from "./honest-hosts.ts";
import { startServer } from "./server-process.ts";

const SLOW_ADDRESSES = Array.from({ length: 32 }, (_, i) => `127.0.66.${i + 1}`);
const HOSTS = 1000;

/** Who is slow: one site with many names at many addresses, many sites at one address, or one site's sitemaps. */
type Slow = "site" | "address" | "sitemaps";

interface Variant {
  readonly slow: Slow;
  readonly threads: number;
  readonly links: number;
  readonly frontier?: "shared";
  readonly order?: "opic";
  readonly resumed?: boolean;
}

const VARIANTS: readonly Variant[] = [
  { slow: "site", threads: 1, links: 64 },
  { slow: "site", threads: 2, links: 64 },
  { slow: "address", threads: 1, links: 64 },
  { slow: "sitemaps", threads: 1, links: 64 },
  { slow: "site", threads: 1, links: 32, order: "opic" },
  { slow: "site", threads: 2, links: 32, resumed: true },
  { slow: "site", threads: 1, links: 64, frontier: "shared" },
  { slow: "address", threads: 2, links: 64 },
  { slow: "address", threads: 1, links: 64, frontier: "shared" },
  { slow: "sitemaps", threads: 2, links: 32 },
  { slow: "sitemaps", threads: 1, links: 64, frontier: "shared" },
];
const SHORT = VARIANTS.slice(0, 2);

/** X8: slow servers must not hold the places that honest hosts need. */
export const attack: Attack = {
  row: "X8",
  what: "a site of 1,000 slow hosts, 1,000 slow sites at one address, 1,000 slow sitemaps",
  mutants: [
    {
      name: "a site may hold all places",
      from: "return site.held >= this.share && this.nowMs < this.aloneFromMs;",
      to: "return false;",
    },
    {
      name: "an address may hold all places",
      from: ".count < this.#share || !this.#hasOthers(",
      to: ".count >= 0 || !this.#hasOthers(",
    },
    {
      name: "one list at a time",
      from: "if (this.#sites.size >= ",
      to: "if (1 + this.#sites.size >= ",
    },
  ],
  async run({ program, size, onStep }) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    for (const variant of variantsOf(size)) {
      if (size === "mutant" && problems.length > 0) break;
      const { slow, threads, links, frontier = "sharded", order, resumed = false } = variant;
      const name = [slow, `T=${threads}`, `L=${links}`, frontier, order, resumed && "resumed"]
        .filter(Boolean)
        .join(" ");
      onStep?.(name);
      const sitemaps = slow === "sitemaps" ? HOSTS : 0;
      const addresses = slow === "address" ? SLOW_ADDRESSES.slice(0, 1) : SLOW_ADDRESSES;
      const server = await startServer("./slow-server.js", {
        addresses,
        sitemaps,
        slowRobots: slow === "address",
      });
      try {
        const { ratio, aloneMs, besideMs, gapMs } = await honestRatio({
          program,
          neighbour: neighbourOf(slow, addresses, server.port),
          hosts: slow === "sitemaps" ? 8 : Math.min(8, Math.floor(links / 4)),
          pages: size === "full" ? 60 : 12,
          args: [
            ...["--threads", String(threads), "--links-per-thread", String(links)],
            ...["--frontier", frontier, ...(order === undefined ? [] : ["--order", order])],
          ],
          viaSitemap: slow === "sitemaps",
          resumed,
          honestFirst: frontier === "shared",
        });
        figures[name] = {
          "honest ratio": ratio.toFixed(3),
          "alone s": (aloneMs / 1000).toFixed(1),
          "beside s": (besideMs / 1000).toFixed(1),
          "longest gap ms": Math.round(gapMs),
        };
        const least = size === "full" ? 0.9 : 0.7;
        if (ratio < least)
          problems.push(`${name}: honest hosts keep ${ratio.toFixed(3)} of their rate`);
      } finally {
        await server.stop();
      }
    }
    return { figures, problems };
  },
};

function variantsOf(size: AttackSize): readonly Variant[] {
  if (size === "full") return VARIANTS;
  return size === "short" ? SHORT : [VARIANTS[0]!, VARIANTS[2]!, VARIANTS[3]!];
}

function neighbourOf(slow: Slow, addresses: readonly string[], port: number): Neighbour {
  const count = slow === "sitemaps" ? 1 : HOSTS;
  const names = Array.from({ length: count }, (_, i) =>
    slow === "address" ? `slow${i}.test` : `h${i}.slow.test`,
  );
  return {
    seeds: names.map((name) => `http://${name}/`),
    args: names.flatMap((name, i) => [
      "--resolve",
      `${name}:${addresses[i % addresses.length]}:${port}`,
    ]),
  };
}
