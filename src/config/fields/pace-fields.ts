import { availableParallelism } from "node:os";
import { MAX_BUFFER_SIZE } from "../../sync/hand-off-buffer.ts";
import { optional, withDefault } from "../field.ts";
import { userAgentRefusal } from "../user-agent.ts";
import { choice, milliseconds, text, toggle, whole } from "../values/kinds.ts";
import { MAX_LINKS_PER_THREAD } from "../values/pace-limits.ts";

/** One core is left to the builder, which has as much to do as a crawler of small pages: otherwise they take turns, and every further crawler compiles its code again. */
function threadsFor(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1));
}

/** Fields that keep a crawl polite, and fields that make it fast. */
export const pace = {
  delayMs: withDefault(milliseconds(86_400_000), 1000, {
    flag: "delay",
    group: "Politeness",
    about:
      "pause between two requests to the same host, from the end of one to the start of the next; a longer Crawl-delay of the site wins. 0 is for your own server only",
    examples: ["--delay 2000", "--delay 0"],
  }),
  perHost: optional(whole(1, 1024), {
    flag: "per-host",
    group: "Politeness",
    about: "connections to one host at the same time; above 1 the delay spaces the starts",
    examples: ["--per-host 2"],
    defaultText: "1; with --delay 0 no limit",
  }),
  obeyTdm: withDefault(toggle(), false, {
    flag: "obey-tdm",
    group: "Politeness",
    about:
      "do not keep what reserves the rights to text and data mining: tdm-reservation: 1 (header or meta), noai, images with noimageai, robots.txt with Content-Signal: ai-train=no; they end as refused, tdm_reserved. All of this is recorded with or without the option",
    examples: ["--obey-tdm"],
  }),
  robots: withDefault(toggle(), true, {
    flag: "robots",
    group: "Politeness",
    about: "ignore robots.txt; only for sites that are yours",
    examples: ["--no-robots"],
    negated: true,
    defaultText: "robots.txt is obeyed",
  }),
  userAgent: optional(
    text("TEXT", "a product name and what follows, in visible ASCII", userAgentRefusal),
    {
      flag: "user-agent",
      group: "Politeness",
      about: "the User-Agent header; its first word is the name that robots.txt is read for",
      examples: ["--user-agent 'Examplebot/1.0 (+https://example.org/bot)'"],
      defaultText: "Orbweaver/<version> (+<contact>)",
    },
  ),
  threads: withDefault(whole(1, 128), threadsFor, {
    flag: "threads",
    group: "Speed",
    about: "crawler threads",
    examples: ["--threads 2"],
    defaultText: "one less than there are cores, which is the builder's; at least 1, at most 4",
  }),
  linksPerThread: optional(whole(1, MAX_LINKS_PER_THREAD), {
    flag: "links-per-thread",
    group: "Speed",
    about: "requests in flight in each crawler thread",
    examples: ["--links-per-thread 16"],
    defaultText: "as many as bring more pages: 64 at first",
  }),
  builders: optional(whole(0, 64), {
    flag: "builders",
    group: "Speed",
    about:
      "threads that compress and write the archive; two crawlers share a hand-off buffer, and each buffer has one builder. With 0 every crawler thread writes what it fetches itself, without blocking",
    examples: ["--builders 2", "--builders 0"],
    defaultText: "1; that of a single crawler thread needs no thread of its own in a command",
  }),
  bufferSize: withDefault(whole(1, MAX_BUFFER_SIZE, "one atomic word counts them"), 1000, {
    flag: "buffer-size",
    group: "Speed",
    about: "records that a hand-off buffer holds between its crawlers and its builder",
    examples: ["--buffer-size 100"],
  }),
  handOff: withDefault(choice(["full", "count-or-time"]), "count-or-time", {
    flag: "hand-off",
    group: "Speed",
    about:
      "when a buffer is handed over: full = at --buffer-size records, or when its crawlers have nothing in flight; count-or-time = also after 200 ms, or at once when a crawler has nothing ready",
    examples: ["--hand-off full"],
  }),
  shards: withDefault(whole(1, 1024), 16, {
    flag: "shards",
    group: "Speed",
    about:
      "parts of the frontier, fixed when a crawl is created; a thread owns at least one, so more threads raise it",
    examples: ["--shards 64"],
    fixed: "every site has its journal by this number",
  }),
};
