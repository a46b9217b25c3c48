import { readSeed } from "../../config/seed-line.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { isBlockedPort } from "../../url/blocked-port.ts";
import { type CrawlUrl, canonicalize, refusalOf } from "../../url/crawl-url.ts";
import { type DedupPolicy, dedupKey } from "../../url/dedup-key.ts";
import { partitionOf, shardOf, siteHash, siteOf } from "../../url/site.ts";
import { surtKey } from "../../url/surt.ts";
import { hostnameOf, partsOf } from "../../url/url-parts.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { oneWord, printJson, printRows } from "./answer.ts";
import { type Question, runBatch } from "./check-batch.ts";
import { knownCash } from "./check-cash.ts";
import { textOf } from "./check-options.ts";
import { refusalText } from "./refusal-text.ts";

const DEFAULT_SHARDS = "16";

/** `orbweaver check url LINK`: what the link becomes, and where it belongs. */
export async function checkUrl(words: readonly string[], args: Arguments, io: Io): Promise<number> {
  const policy = policyOf(args);
  if (args.options.get("batch") === true)
    return runBatch(io, (question) => answerUrl(question, policy));
  const input = oneWord(words, "link", "orbweaver check url https://example.org/");
  const answer = urlAnswer(input, baseOf(args), shardsOf(args), policy);
  const crawl = textOf(args, "crawl");
  const known =
    crawl === undefined || answer.url === null ? undefined : knownCash(crawl, answer.url);
  if (args.options.get("json") === true)
    printJson(io, known === undefined ? answer : { ...answer, known });
  else if (answer.url === null) {
    const reason = refusalText(answer.reason);
    printRows(io, [
      ["input", input],
      ["fetched", "no"],
      ["reason", `${answer.reason}: ${reason}`],
    ]);
  } else {
    const { reason } = answer;
    printRows(io, [
      ["input", input],
      ["URL", answer.url],
      ["fetched", reason === undefined ? "yes, if it is in scope and robots.txt allows it" : "no"],
      ["reason", reason === undefined ? undefined : `${reason}: ${refusalText(reason)}`],
      ["host", answer.host],
      ["port", answer.port],
      ["target", answer.target],
      ["dedup key", answer.key],
      ["SURT key", answer.surt],
      ["site", answer.site],
      ["partition", `${answer.partition} of 1024`],
      ["shard", answer.shard],
      ["in the crawl", known?.state],
      ["priority", known === undefined || known.state === "unknown" ? undefined : known.priority],
      ["cash", known === undefined || known.state === "unknown" ? undefined : known.cash],
    ]);
  }
  return EXIT.finished;
}

type UrlAnswer =
  | { input: string; url: null; reason: string }
  | {
      input: string;
      url: CrawlUrl;
      reason?: string;
      host: string;
      port: number;
      target: string;
      key: string;
      surt: string;
      site: string;
      partition: number;
      shard: number;
    };

function urlAnswer(
  input: string,
  base: CrawlUrl | undefined,
  shards: number,
  policy: DedupPolicy,
): UrlAnswer {
  const url = canonicalize(input, base);
  if (url === undefined) return { input, url: null, reason: refusalOf(input, base) ?? "bad_url" };
  const { hostname, port, target } = partsOf(url);
  const site = siteOf(hostnameOf(url));
  const hash = siteHash(site);
  return {
    input,
    url,
    ...(isBlockedPort(port) && { reason: "blocked_port" }),
    host: hostname,
    port,
    target,
    key: dedupKey(url, policy),
    surt: surtKey(url),
    site,
    partition: partitionOf(hash),
    shard: shardOf(hash, shards),
  };
}

/** `{input, base?}` gives `{url, key, surt, site}` or `{url: null, reason}`. */
function answerUrl(question: Question, policy: DedupPolicy): object {
  const input = question.needed("input");
  const { link, base } = against(input, question.text("base"));
  const url = link === undefined ? undefined : canonicalize(link, base);
  if (url === undefined) return { url: null, reason: (link && refusalOf(link, base)) || "bad_url" };
  return { url, key: dedupKey(url, policy), surt: surtKey(url), site: siteOf(hostnameOf(url)) };
}

/** A batch may name any base, one that no page could have too; the standard says what a link then means. */
function against(
  input: string,
  base: string | undefined,
): { link: string | undefined; base: CrawlUrl | undefined } {
  if (base === undefined) return { link: input, base: undefined };
  const page = canonicalize(base);
  if (page !== undefined) return { link: input, base: page };
  const link = URL.canParse(input, base) ? new URL(input, base).href : undefined;
  return { link, base: undefined };
}

function policyOf(args: Arguments): DedupPolicy {
  const trailingSlash = textOf(args, "trailing-slash") ?? "keep";
  if (trailingSlash !== "keep" && trailingSlash !== "ignore") {
    throw new UsageError(
      `--trailing-slash ${trailingSlash} is not allowed; use keep or ignore, for example --trailing-slash ignore`,
    );
  }
  return {
    dropSessionIds: args.options.get("drop-session-ids") === true,
    dropTracking: args.options.get("drop-tracking") === true,
    trailingSlash,
  };
}

function baseOf(args: Arguments): CrawlUrl | undefined {
  const text = textOf(args, "base");
  if (text === undefined) return undefined;
  const base = readSeed(text);
  if ("url" in base) return base.url;
  throw new UsageError(
    `--base ${text}: ${base.reason}; use a complete URL, for example --base https://example.org/x/`,
  );
}

function shardsOf(args: Arguments): number {
  const text = textOf(args, "shards") ?? DEFAULT_SHARDS;
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= 1024) return shards;
  throw new UsageError(
    `--shards ${text} is not allowed; use a whole number from 1 to 1024, for example --shards 64`,
  );
}
