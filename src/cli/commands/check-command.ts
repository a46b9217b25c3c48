import { nearest } from "../../config/nearest.ts";
import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { type Check, printRows } from "../check/answer.ts";
import { runBatch } from "../check/check-batch.ts";
import { CHECK_OPTIONS, requireOwnOptions } from "../check/check-options.ts";
import type { Command } from "../command.ts";
import { printJson } from "../io.ts";
import { isOn } from "../options.ts";

// Loaded on use: `check url` does not need the robots parser.
const CHECKS: Readonly<Record<string, () => Promise<{ readonly check: Check }>>> = {
  url: () => import("../check/check-url.ts"),
  scope: () => import("../check/check-scope.ts"),
  robots: () => import("../check/check-robots.ts"),
  links: () => import("../check/check-links.ts"),
  sitemap: () => import("../check/check-sitemap.ts"),
  charset: () => import("../check/check-charset.ts"),
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
  often: [
    ["base", "the page that a link stands on"],
    ["crawl", "look the URL up in a crawl"],
    ["seed", "where the crawl would start"],
    ["scope", "how far it would follow links"],
    ["file", "a document on disk instead of fetching it"],
    ["agent", "the name that robots.txt is read for"],
    ["batch", "questions and answers as JSON lines"],
    ["json", "one JSON object"],
  ],
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
    requireOwnOptions(args, what!);
    const { check } = await load();
    if (isOn(args, "batch")) {
      if (check.batch === undefined)
        throw new UsageError(`check ${what} has no --batch; it takes many URLs`);
      if (words[0] !== undefined) {
        throw new UsageError(
          `--batch reads its questions from standard input, but "${printable(words[0])}" was given; for example orbweaver check url --batch < questions.jsonl`,
        );
      }
      return runBatch(io, check.batch(args));
    }
    for await (const { json, rows } of check.answers(words, args, io)) {
      if (isOn(args, "json")) printJson(io, json);
      else printRows(io, rows);
    }
    return EXIT.finished;
  },
};

function unknownCheck(what: string | undefined): UsageError {
  const names = Object.keys(CHECKS);
  const example = "for example orbweaver check url https://example.org/";
  if (what === undefined) return new UsageError(`check what? Use ${names.join(", ")}; ${example}`);
  const meant = nearest(what, names);
  const hint =
    meant === undefined ? `use ${names.join(", ")}; ${example}` : `did you mean ${meant}?`;
  return new UsageError(`cannot check "${printable(what)}"; ${hint}`);
}
