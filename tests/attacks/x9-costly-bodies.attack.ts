import type { Attack, AttackSize } from "./attack.ts";
import type { CostlyOptions } from "./costly-server.ts";
import { honestRatio } from "./honest-hosts.ts";
import { startServer } from "./server-process.ts";

const ADDRESSES = Array.from({ length: 16 }, (_, i) => `127.0.67.${i + 1}`);
const HOSTS = 50;
/** Beyond the longest gap of the same crawl alone: less than what one costly body may take in all. */
const MAX_GAP_MS = 350;

interface Variant extends Pick<CostlyOptions, "file" | "coding"> {
  readonly threads: number;
  /** One site with fifty hosts, or fifty sites. */
  readonly sites: 1 | 50;
}

const VARIANTS: readonly Variant[] = [
  { file: "page", coding: "gzip, gzip", threads: 1, sites: 50 },
  { file: "sitemap", coding: "gzip, gzip", threads: 1, sites: 50 },
  { file: "page", coding: "gzip, gzip", threads: 2, sites: 1 },
  { file: "page", coding: "gzip, br", threads: 1, sites: 50 },
  { file: "page", coding: "deflate", threads: 1, sites: 1 },
  { file: "page", coding: "gzip", threads: 2, sites: 1 },
  { file: "sitemap", coding: "gzip, br", threads: 2, sites: 1 },
  { file: "robots", coding: "gzip, gzip", threads: 1, sites: 50 },
];

/** X9: what a body costs to decode is bounded, and other requests go on meanwhile. */
export const attack: Attack = {
  row: "X9",
  what: "50 hosts whose bodies of 54 KB are ten million bytes of empty deflate blocks",
  mutants: [
    {
      name: "decoding does not pause",
      from: "if (this.#sliceMs < ",
      to: "if (-1 < ",
    },
    {
      name: "a list does not pause",
      from: "performance.now() - this.#startMs > ",
      to: "-1 > ",
    },
    {
      name: "decoding has no budget",
      from: "if (this.spentMs <= limitMs)",
      to: "if (true)",
    },
  ],
  async run({ program, size, onStep, isWanted = () => true }) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    for (const variant of variantsOf(size)) {
      if (size === "mutant" && problems.length > 0) break;
      const { file, coding, threads, sites } = variant;
      const name = `${file} ${coding} T=${threads} sites=${sites}`;
      if (!isWanted(name)) continue;
      onStep?.(name);
      const server = await startServer("./costly-server.js", {
        addresses: ADDRESSES,
        file,
        coding,
      });
      const names = Array.from({ length: HOSTS }, (_, i) =>
        sites === 1 ? `h${i}.costly.test` : `costly${i}.test`,
      );
      try {
        const { ratio, aloneMs, besideMs, gapMs, aloneGapMs, log } = await honestRatio({
          program,
          neighbour: {
            seeds: names.map((host) => `http://${host}/`),
            args: names.flatMap((host, i) => [
              "--resolve",
              `${host}:${ADDRESSES[i % ADDRESSES.length]}:${server.port}`,
            ]),
          },
          hosts: 8,
          pages: size === "full" ? 60 : 20,
          args: ["--threads", String(threads)],
        });
        const budget = log.filter(({ error }) => error === "decode_budget").length;
        figures[name] = {
          "honest ratio": ratio.toFixed(3),
          "alone s": (aloneMs / 1000).toFixed(1),
          "beside s": (besideMs / 1000).toFixed(1),
          "longest gap ms": Math.round(gapMs),
          "gap alone ms": Math.round(aloneGapMs),
          decode_budget: budget,
        };
        const least = size === "full" ? 0.9 : 0.6;
        if (ratio < least)
          problems.push(`${name}: honest hosts keep ${ratio.toFixed(3)} of their rate`);
        if (gapMs > aloneGapMs + MAX_GAP_MS)
          problems.push(`${name}: no honest page for ${Math.round(gapMs)} ms`);
        // A robots.txt is cut at 500 KiB, before it costs so much.
        if (budget === 0 && file !== "robots") problems.push(`${name}: no body hit its budget`);
      } finally {
        await server.stop();
      }
    }
    return { figures, problems };
  },
};

function variantsOf(size: AttackSize): readonly Variant[] {
  return size === "full" ? VARIANTS : VARIANTS.slice(0, 2);
}
