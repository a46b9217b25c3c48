import { optional, withDefault } from "../field.ts";
import { seedRefusal } from "../seeds/seed-line.ts";
import { contactRefusal } from "../user-agent.ts";
import { list, text, toggle } from "../values/kinds.ts";
import { notEmpty } from "./field-values.ts";

const group = "Where to start";
const SEEDS = "its seeds were read when it was made and are in its journals";

/** Fields about where a crawl starts, where its results go and who is responsible for it. */
export const start = {
  seeds: withDefault(
    list(text("URL", "complete URLs with http:// or https://", seedRefusal)),
    () => [],
    {
      flag: "",
      group,
      about:
        "where the crawl starts. A URL typed here also permits its own host and port if that is a private address; no other seed does",
      examples: ["https://example.org/"],
      repeatable: true,
      fixed: SEEDS,
    },
  ),
  seedsFile: optional(text("FILE|-", "the name of a file, or - for standard input", notEmpty), {
    flag: "seeds",
    group,
    about:
      "read more starting points, one URL per line; blank lines and lines that start with # are skipped, bad lines are reported and skipped",
    examples: ["--seeds seeds.txt", "--seeds -"],
    fixed: SEEDS,
  }),
  strictSeeds: withDefault(toggle(), false, {
    flag: "strict-seeds",
    group,
    about: "stop at the first bad line of the seed file instead of skipping it",
    examples: ["--strict-seeds"],
    fixed: SEEDS,
  }),
  out: optional(text("DIR", "the name of a folder", notEmpty), {
    flag: "out",
    group,
    about: "the folder for the results; a folder that already holds a crawl is never overwritten",
    examples: ["--out crawls/example"],
    defaultText: "a new folder under crawls/",
    fixed: "the folder is the crawl",
  }),
  contact: optional(
    text("WHO", "an e-mail address or a web page where you can be reached", contactRefusal),
    {
      flag: "contact",
      group,
      about:
        "how the owner of a site can reach you, sent with every request. Without it a crawl does not leave this machine",
      examples: ["--contact you@example.org"],
      environment: "ORBWEAVER_CONTACT",
    },
  ),
};
