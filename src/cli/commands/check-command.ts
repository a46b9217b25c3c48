import { nearest } from "../../config/nearest.ts";
import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import type { Arguments } from "../arguments.ts";
import { CHECK_OPTIONS } from "../check/check-options.ts";
import type { Command } from "../command.ts";
import type { Io } from "../io.ts";

type Check = (words: readonly string[], args: Arguments, io: Io) => Promise<number>;

// Loaded on use: `check url` does not need the robots parser.
const CHECKS: Readonly<Record<string, () => Promise<Check>>> = {
  url: async () => (await import("../check/check-url.ts")).checkUrl,
  scope: async () => (await import("../check/check-scope.ts")).checkScope,
  robots: async () => (await import("../check/check-robots.ts")).checkRobots,
  links: async () => (await import("../check/check-links.ts")).checkLinks,
  sitemap: async () => (await import("../check/check-sitemap.ts")).checkSitemap,
  charset: async () => (await import("../check/check-charset.ts")).checkCharset,
};

/** `orbweaver check`. */
export const command: Command = {
  name: "check",
  usage: [
    "check url LINK [--base URL] [--crawl DIR] [--json]",
    "check scope URL... --seed URL... [--scope KIND] [--include RE] [--exclude RE] [--json]",
    "check robots URL [--file robots.txt] [--agent NAME] [--json]",
    "check links|sitemap|charset URL [--file FILE] [--content-type TYPE] [--json]",
    "check url|robots|links|sitemap|charset --batch < questions.jsonl > answers.jsonl",
  ],
  about:
    "Tells what the crawler would do with a link, a URL, a robots.txt, a page or a sitemap, and why. Nothing is crawled. With --batch every line of standard input is a JSON object and is answered by one.",
  options: CHECK_OPTIONS,
  examples: [
    [
      "orbweaver check url '../a b?q=1#top' --base https://example.org/x/y",
      "the URL that would be fetched, its key, site and shard",
    ],
    [
      "orbweaver check scope https://www.example.org/a --seed https://example.org/ --scope domain",
      "whether a link would be followed from that seed",
    ],
    [
      "orbweaver check robots https://example.org/private/ --file robots.txt",
      "which line of robots.txt decides",
    ],
    [
      "orbweaver check links https://example.org/ --file page.html",
      "the links, title and charset of a page as the crawler reads it",
    ],
    [
      "orbweaver check sitemap https://example.org/sitemap.xml --file sitemap.xml.gz",
      "what a sitemap or feed lists",
    ],
    [
      "orbweaver check url --batch",
      'answers lines such as {"input": "../a", "base": "https://example.org/x/"}',
    ],
  ],
  async run(args, io) {
    const [what, ...words] = args.words;
    const load = what !== undefined && Object.hasOwn(CHECKS, what) ? CHECKS[what] : undefined;
    if (load === undefined) throw unknownCheck(what);
    if (args.options.get("batch") === true) refuseForBatch(what!, words);
    return (await load())(words, args, io);
  },
};

/** In a batch the questions come from standard input, and each stands alone, which scope and its seeds do not. */
function refuseForBatch(what: string, words: readonly string[]): void {
  if (what === "scope") throw new UsageError("check scope has no --batch; it takes many URLs");
  if (words[0] === undefined) return;
  throw new UsageError(
    `--batch reads its questions from standard input, but "${printable(words[0])}" was given; for example orbweaver check url --batch < questions.jsonl`,
  );
}

function unknownCheck(what: string | undefined): UsageError {
  const names = Object.keys(CHECKS);
  const example = "for example orbweaver check url https://example.org/";
  if (what === undefined) return new UsageError(`check what? Use ${names.join(", ")}; ${example}`);
  const meant = nearest(what, names);
  const hint =
    meant === undefined ? `use ${names.join(", ")}; ${example}` : `did you mean ${meant}?`;
  return new UsageError(`cannot check "${printable(what)}"; ${hint}`);
}
