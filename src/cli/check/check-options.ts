import type { OptionSpec } from "../../config/option.ts";
import { UsageError } from "../../errors.ts";
import type { Arguments } from "../arguments.ts";
import { DEBUG_OPTION, jsonOption, textOf } from "../options.ts";

const group = "Options";

/** The options of all checks; what stands before a colon in `about` are the checks that one is for. */
export const CHECK_OPTIONS: readonly OptionSpec[] = [
  {
    flag: "base",
    value: "URL",
    group,
    about: "url: the page on which the link stands",
    allowed: "a complete URL",
    examples: ["--base https://example.org/x/"],
  },
  {
    flag: "shards",
    value: "N",
    group,
    about: "url: how many shards the crawl has",
    allowed: "a whole number from 1 to 1024",
    examples: ["--shards 64"],
    defaultText: "16",
  },
  {
    flag: "crawl",
    value: "DIR",
    group,
    about:
      "url: tell what a crawl with --order opic knows of the URL: whether it waits, and its priority",
    allowed: "the folder of a crawl that does not run",
    examples: ["--crawl crawls/example"],
  },
  {
    flag: "drop-session-ids",
    group,
    about: "url: leave session ids out of the dedup key",
    allowed: "no value",
    examples: ["--drop-session-ids"],
  },
  {
    flag: "drop-tracking",
    group,
    about: "url: leave parameters such as utm_source out of the dedup key",
    allowed: "no value",
    examples: ["--drop-tracking"],
  },
  {
    flag: "trailing-slash",
    value: "keep|ignore",
    group,
    about: "url: whether /a and /a/ are two pages or one",
    allowed: "keep or ignore",
    examples: ["--trailing-slash ignore"],
    defaultText: "keep",
  },
  {
    flag: "seed",
    value: "URL",
    group,
    about: "scope: a seed of the crawl",
    allowed: "a complete URL",
    examples: ["--seed https://example.org/"],
    repeatable: true,
  },
  {
    flag: "seeds",
    value: "FILE|-",
    group,
    about: "scope: a file with the seeds of the crawl",
    allowed: "the name of a file, or - for standard input",
    examples: ["--seeds seeds.txt"],
  },
  {
    flag: "scope",
    value: "page|prefix|host|domain|any",
    group,
    about: "scope: which links are followed",
    allowed: "one of page, prefix, host, domain, any",
    examples: ["--scope domain"],
    defaultText: "host",
  },
  {
    flag: "include",
    value: "RE",
    group,
    about: "scope: follow only URLs that match",
    allowed: "a JavaScript regular expression",
    examples: ["--include /docs/"],
    repeatable: true,
  },
  {
    flag: "exclude",
    value: "RE",
    group,
    about: "scope: do not follow URLs that match",
    allowed: "a JavaScript regular expression",
    examples: ["--exclude print="],
    repeatable: true,
  },
  {
    flag: "file",
    value: "FILE",
    group,
    about: "robots, links, sitemap, charset: read this file instead of asking the site",
    allowed: "the name of a file, or - for standard input",
    examples: ["--file robots.txt"],
  },
  {
    flag: "agent",
    value: "NAME",
    group,
    about: "robots: the product name to look for",
    allowed: "the name of a crawler",
    examples: ["--agent Examplebot"],
    defaultText: "Orbweaver",
  },
  {
    flag: "content-type",
    value: "TYPE",
    group,
    about: "links, sitemap, charset: the Content-Type header that came with the file",
    allowed: "a media type",
    examples: ["--content-type text/html;charset=utf-8"],
  },
  {
    flag: "batch",
    group,
    about: "answer JSON lines from standard input, one JSON line each (all but scope)",
    allowed: "no value",
    examples: ["--batch"],
  },
  jsonOption("print one JSON object instead of text"),
  DEBUG_OPTION,
];

/** Refuses an option of another check, which would do nothing. */
export function requireOwnOptions(args: Arguments, check: string): void {
  for (const { flag, about } of CHECK_OPTIONS) {
    const checks = /^([a-z, ]+): /.exec(about)?.[1]?.split(", ");
    if (checks === undefined || checks.includes(check) || !args.options.has(flag)) continue;
    throw new UsageError(
      `--${flag} has no effect on check ${check}: it is for check ${checks.join(", ")}`,
    );
  }
}

/** The value of an option or its default; one that is not allowed is refused in the words of its help. */
export function allowedValue(
  args: Arguments,
  flag: string,
  standard: string,
  isAllowed: (text: string) => boolean,
): string {
  const text = textOf(args, flag) ?? standard;
  if (isAllowed(text)) return text;
  const { allowed, examples } = CHECK_OPTIONS.find((option) => option.flag === flag)!;
  throw new UsageError(
    `--${flag} ${text} is not allowed; use ${allowed}, for example ${examples[0]}`,
  );
}
