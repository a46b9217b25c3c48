import type { HandOffMode } from "../../crawl/hand-off/buffer-sender.ts";
import { Random } from "../../web/seeded-random.ts";
import type { NetworkFaults } from "./sim-network.ts";

/** What may happen to a crawl. */
export type FaultKind = "kill" | "power loss" | "death" | "stop" | "jump" | ControlKind;

/** Changes of course that somebody makes while a crawl runs; a pause ends by itself. */
export type ControlKind = "pause" | "block" | "seed";

/** A fault and the step of its run at which it strikes. */
export interface Fault {
  readonly kind: FaultKind;
  readonly step: number;
}

/** Everything about one simulated crawl that is decided beforehand. */
export interface Plan {
  readonly shards: number;
  readonly pages: number;
  readonly sites: number;
  readonly delayMs: number;
  readonly latencyMs: number;
  readonly links: number;
  readonly maxUncommitted: number;
  readonly maxPages: number | undefined;
  /** Pages of one site, and bytes in all: an answer is one byte. */
  readonly maxPagesPerSite: number | undefined;
  readonly maxBytes: number | undefined;
  /** Only sites of seeds are visited, and where they redirect to; so many seeds beside the first one redirect. */
  readonly isScoped: boolean;
  readonly redirectingSeeds: number;
  /** Permits of a hand-off buffer, and when it is handed over. */
  readonly bufferSize: number;
  readonly handOff: HandOffMode;
  /** Crawlers store what they fetch in their own threads: `--builders 0`. */
  readonly isJoined?: boolean;
  readonly order: "bfs" | "dfs" | "opic";
  /** Some hosts ask for a longer delay of their own, and for a pause when something fails. */
  readonly demanding: boolean;
  /** How messages travel: through the shipped rings, or over a network with faults. */
  readonly network: "rings" | NetworkFaults;
  /** Threads sleep until something wakes them; otherwise they look now and then. */
  readonly sleeping: boolean;
  /** Per run: its threads and what strikes it. The last run is left alone. */
  readonly runs: readonly { readonly threads: number; readonly faults: readonly Fault[] }[];
}

const KINDS: readonly FaultKind[] = ["kill", "power loss", "death", "death", "stop"];

/** Jumps of the wall clock, and what hosts ask for, have a chance of their own: so the rest of a seed's life stays as it was. */
const JUMP_SEED = 0x7a11;
/** The same for what decides which URLs are admitted. */
const ADMISSION_SEED = 0x5c09e;
/** The same for builders in the threads of their crawlers. */
const JOINED_SEED = 0x10b;
/** The same for changes of course. */
const CONTROL_SEED = 0xc0a5e;
const CONTROLS: readonly ControlKind[] = ["pause", "block", "seed"];

/** The plan of a seed. */
export function planOf(seed: number): Plan {
  const plan = calmPlanOf(seed);
  const random = new Random(seed ^ JUMP_SEED);
  const demanding = random.below(2) === 0;
  const runs = plan.runs.map(({ threads, faults }) => {
    const jumps = Array.from({ length: random.below(3) }, () => {
      return { kind: "jump" as const, step: random.below(400) };
    });
    return { threads, faults: [...faults, ...jumps] };
  });
  // Only bells wake a thread, and a network has none.
  const sleeping = random.below(2) === 0 && plan.network === "rings";
  const isJoined = new Random(seed ^ JOINED_SEED).below(3) === 0;
  const calm = { ...plan, ...admissionsOf(seed, plan), demanding, sleeping, runs, isJoined };
  const isControlled = new Random(seed ^ CONTROL_SEED).below(3) === 0;
  return isControlled ? controlled(calm, new Random(seed ^ ~CONTROL_SEED)) : calm;
}

/** The plan with up to three changes of course in each run. */
function controlled(plan: Plan, random: Random): Plan {
  const runs = plan.runs.map(({ threads, faults }) => {
    const changes = Array.from({ length: random.below(4) }, () => {
      return { kind: CONTROLS[random.below(CONTROLS.length)]!, step: random.below(300) };
    });
    return { threads, faults: [...faults, ...changes] };
  });
  return { ...plan, runs };
}

/** The plan of a seed with changes of course. */
export function controlledPlanOf(seed: number): Plan {
  return controlled({ ...planOf(seed), ...UNLIMITED }, new Random(seed ^ ~CONTROL_SEED));
}

function admissionsOf(seed: number, { pages }: Plan): Partial<Plan> {
  const random = new Random(seed ^ ADMISSION_SEED);
  const isScoped = random.below(2) === 0;
  return {
    isScoped,
    redirectingSeeds: isScoped ? random.below(4) : 0,
    maxPagesPerSite: random.below(4) === 0 ? 1 + random.below(5) : undefined,
    maxBytes: random.below(5) === 0 ? 1 + random.below(2 * pages) : undefined,
  };
}

/** No limit ends the crawl before a rare fault shows. */
const UNLIMITED = { maxPages: undefined, maxPagesPerSite: undefined, maxBytes: undefined };

/** The plan of a seed in which crawlers store what they fetch themselves. */
export function joinedPlanOf(seed: number): Plan {
  return { ...planOf(seed), ...UNLIMITED, isJoined: true };
}

/** The plan of a seed with a scope that seeds widen. */
export function scopedPlanOf(seed: number): Plan {
  return { ...planOf(seed), ...UNLIMITED, isScoped: true, redirectingSeeds: 3 };
}

/** The plan of a seed with a network that does everything wrong. */
export function lossyPlanOf(seed: number): Plan {
  const network = { loses: true, repeats: true, reorders: true };
  return { ...planOf(seed), ...UNLIMITED, network, sleeping: false };
}

/** The plan of a seed without jumps of the wall clock and without hosts that ask for anything. */
export function calmPlanOf(seed: number): Plan {
  const random = new Random(seed);
  const below = (bound: number) => random.below(bound);
  const flip = () => below(2) === 0;
  const shards = 1 + below(5);
  const pages = 4 + below(28);
  const network = flip() ? "rings" : { loses: flip(), repeats: flip(), reorders: flip() };
  const runs = Array.from({ length: 1 + below(4) }, (_, run) => {
    const faults = Array.from({ length: run === 0 ? below(4) : below(3) }, () => {
      const kind = KINDS[below(KINDS.length)]!;
      return { kind, step: below(flip() ? 100 : 800) };
    });
    return { threads: 1 + below(shards), faults };
  });
  runs.push({ threads: 1 + below(shards), faults: [] });
  return {
    shards,
    pages,
    sites: 1 + below(8),
    delayMs: [0, 50, 1000][below(3)]!,
    latencyMs: [1, 40, 400][below(3)]!,
    links: 1 + below(4),
    maxUncommitted: 1 + below(24),
    maxPages: below(3) === 0 ? 1 + below(pages) : undefined,
    maxPagesPerSite: undefined,
    maxBytes: undefined,
    isScoped: false,
    redirectingSeeds: 0,
    order: flip() ? "bfs" : "dfs",
    demanding: false,
    sleeping: false,
    network,
    runs,
    bufferSize: [1, 2, 5, 40][below(4)]!,
    handOff: flip() ? "full" : "count-or-time",
  };
}
