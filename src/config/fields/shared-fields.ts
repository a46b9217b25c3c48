import { withDefault } from "../field.ts";
import { choice, choiceOrModule, duration, wholeOr } from "../values/kinds.ts";
import { TECHNIQUES, VISITED_SETS, WHEN_FULL } from "../values/technique-names.ts";

const group = "Frontier";
const SHARED = "it is about a shared frontier, and a crawl on one cannot be resumed";

/** Fields that choose the frontier, and the synchronisation of a shared one. */
export const shared = {
  frontier: withDefault(choice(["sharded", "shared", "engine"]), "sharded", {
    flag: "frontier",
    group,
    about:
      "sharded: each thread owns the sites that fall to it; shared: one frontier of fixed size in shared memory for all threads, to study and compare techniques (not durable); engine: on a Redis-protocol server, for many machines",
    examples: ["--frontier shared", "--frontier engine"],
    fixed: "what is known and what waits lies there",
  }),
  sync: withDefault(choiceOrModule(TECHNIQUES), "lock-free", {
    flag: "sync",
    group,
    about:
      "how threads synchronise on a shared frontier; unsynchronised loses URLs and fetches some twice, and says how many; a module holds a lock of your own (docs/lab/own-lock.md)",
    examples: ["--sync monitor", "--sync ./mine.mjs"],
    fixed: SHARED,
  }),
  frontierSize: withDefault(wholeOr(1, 1_000_000, "grow"), 1000, {
    flag: "frontier-size",
    group,
    about:
      "URLs a shared frontier can hold; what does not fit stays with the thread that found it. coarse and fine can also grow",
    examples: ["--frontier-size 30", "--frontier-size grow"],
    fixed: SHARED,
  }),
  whenFull: withDefault(choice(WHEN_FULL), "spill", {
    flag: "when-full",
    group,
    about:
      "what a thread does with a link when a shared frontier is full. spill: it keeps the link. wait and overwrite run in the laboratory, in threads that really block, one request each, and store no pages: wait sleeps until there is room, overwrite drops the oldest URL. A crawl that stands still for 500 ms ends and says so",
    examples: ["--when-full wait"],
    fixed: SHARED,
  }),
  schedule: withDefault(choice(["continuous", "rounds"]), "continuous", {
    flag: "schedule",
    group,
    about:
      "how threads get their links on a shared frontier. rounds, in the laboratory: each of T threads is given min(pool / T, --links-per-thread) links, all wait for all, then what was found is merged; no pages are stored, the set of visited pages keeps parent, links and level",
    examples: ["--schedule rounds"],
    fixed: SHARED,
  }),
  leftovers: withDefault(choice(["keep", "drop"]), "keep", {
    flag: "leftovers",
    group,
    about: "what becomes of links that a round has no room for",
    examples: ["--leftovers drop"],
    fixed: SHARED,
  }),
  roundWaitMs: withDefault(duration(1), 30_000, {
    flag: "round-wait",
    group,
    about: "how long a round waits for its slowest link",
    examples: ["--round-wait 5s"],
    fixed: SHARED,
  }),
  visited: withDefault(choice(VISITED_SETS), "cas", {
    flag: "visited",
    group,
    about:
      "the set of known URLs, of a crawl on a shared frontier. cas keeps fingerprints; striped keeps pages with parent, level and links (reports/visited.jsonl), far fewer of them",
    examples: ["--visited striped"],
    fixed: SHARED,
  }),
};
