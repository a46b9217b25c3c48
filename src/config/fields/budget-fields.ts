import { optional, withDefault } from "../field.ts";
import { toggle, whole } from "../values/kinds.ts";

const group = "How far to go";
const ANY = Number.MAX_SAFE_INTEGER;

/** Fields that keep single sites from taking more than their share. */
export const budgets = {
  maxPagesPerSite: optional(whole(1, ANY), {
    flag: "max-pages-per-site",
    group,
    about: "store at most this many pages of one registrable domain",
    examples: ["--max-pages-per-site 25000"],
  }),
  maxDepthDynamic: optional(whole(0, 65_535), {
    flag: "max-depth-dynamic",
    group,
    about: "follow URLs with a query at most this many steps from a seed",
    examples: ["--max-depth-dynamic 5"],
  }),
  traps: withDefault(toggle(), true, {
    flag: "traps",
    group,
    about:
      "do not look for traps: endless calendars, repeated path segments, session ids, the same content under ever new URLs",
    examples: ["--no-traps"],
    negated: true,
    defaultText: "traps are looked for",
  }),
};
