import { meaningOf } from "../../crawl/visit/error-codes.ts";
import { isBlockedPort } from "../../url/blocked-port.ts";
import { type CrawlUrl, canonicalize, refusalOf } from "../../url/crawl-url.ts";
import { type DedupPolicy, dedupKey } from "../../url/dedup-key.ts";
import { partitionOf, shardOf, siteHash, siteOf } from "../../url/site.ts";
import { surtKey } from "../../url/surt.ts";
import { hostnameOf, partsOf } from "../../url/url-parts.ts";
import type { Arguments } from "../arguments.ts";
import { isOn, textOf } from "../options.ts";
import { type AnswerRow, type Check, oneWord, typedUrl } from "./answer.ts";
import { type KnownCash, knownCash } from "./check-cash.ts";
import { allowedValue } from "./check-options.ts";

/** `orbweaver check url LINK`: what the link becomes, and where it belongs. */
export const check: Check = {
  async *answers(words, args) {
    const policy = policyOf(args);
    const input = oneWord(words, "link", "orbweaver check url https://example.org/");
    const answer = urlAnswer(input, baseOf(args), shardsOf(args), policy);
    const crawl = textOf(args, "crawl");
    const known =
      crawl === undefined || answer.url === null ? undefined : knownCash(crawl, answer.url);
    const json = known === undefined ? answer : { ...answer, known };
    yield { json, rows: rowsOf(answer, known) };
  },
  /** `{input, base?}` gives `{url, key, surt, site}` or `{url: null, reason}`. */
  batch(args) {
    const policy = policyOf(args);
    return (question) => {
      const input = question.needed("input");
      const { link, base } = against(input, question.text("base"));
      const url = link === undefined ? undefined : canonicalize(link, base);
      return url === undefined
        ? { url: null, reason: (link && refusalOf(link, base)) || "bad_url" }
        : { url, key: dedupKey(url, policy), surt: surtKey(url), site: siteOf(hostnameOf(url)) };
    };
  },
};

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

function rowsOf(answer: UrlAnswer, known: KnownCash | undefined): AnswerRow[] {
  const { input, reason } = answer;
  const why = reason === undefined ? undefined : `${reason}: ${meaningOf(reason)}`;
  if (answer.url === null) {
    return [
      ["input", input],
      ["fetched", "no"],
      ["reason", why],
    ];
  }
  const cash = known === undefined || known.state === "unknown" ? undefined : known;
  return [
    ["input", input],
    ["URL", answer.url],
    ["fetched", reason === undefined ? "yes, if it is in scope and robots.txt allows it" : "no"],
    ["reason", why],
    ["host", answer.host],
    ["port", answer.port],
    ["target", answer.target],
    ["dedup key", answer.key],
    ["SURT key", answer.surt],
    ["site", answer.site],
    ["partition", `${answer.partition} of 1024`],
    ["shard", answer.shard],
    ["in the crawl", known?.state],
    ["priority", cash?.priority],
    ["cash", cash?.cash],
  ];
}

/** A batch may name any base, even one that no page could have; the URL standard then decides what a link means. */
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
  const kinds = ["keep", "ignore"];
  const slash = allowedValue(args, "trailing-slash", "keep", (text) => kinds.includes(text));
  return {
    dropSessionIds: isOn(args, "drop-session-ids"),
    dropTracking: isOn(args, "drop-tracking"),
    trailingSlash: slash as DedupPolicy["trailingSlash"],
  };
}

function baseOf(args: Arguments): CrawlUrl | undefined {
  const text = textOf(args, "base");
  if (text === undefined) return undefined;
  return typedUrl(text, "use a complete URL, for example --base https://example.org/x/", "--base ");
}

function shardsOf(args: Arguments): number {
  const isAllowed = (text: string) =>
    /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1024;
  return Number(allowedValue(args, "shards", "16", isAllowed));
}
