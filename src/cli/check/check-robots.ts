import { readNamedInput } from "../../config/named-file.ts";
import { PRODUCT } from "../../config/user-agent.ts";
import { humanDuration } from "../../config/values/durations.ts";
import { UsageError } from "../../errors.ts";
import { explainRobots, type RobotsExplanation } from "../../fetch/robots/robots-explain.ts";
import { RobotsRules } from "../../fetch/robots/robots-rules.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { partsOf } from "../../url/url-parts.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { textOf } from "../options.ts";
import { counted } from "../print-summary.ts";
import { type Check, oneWord, typedUrl } from "./answer.ts";

const EXAMPLE = "orbweaver check robots https://example.org/private/ --file robots.txt";

const ANY_ORIGIN = "http://robots.invalid/";

/** `orbweaver check robots URL`: whether robots.txt allows a URL, and which line decides. */
export const check: Check = {
  async *answers(words, args, io) {
    const url = typedUrl(oneWord(words, "URL", EXAMPLE), `for example ${EXAMPLE}`);
    const agent = agentOf(args);
    const found = explainRobots(await robotsOf(url, args, io), agent, partsOf(url).target);
    const { allowed, line, rule, crawlDelayMs, sitemaps } = found;
    yield {
      json: {
        url,
        agent,
        allowed,
        line: line ?? null,
        rule: rule ?? null,
        crawlDelayMs: crawlDelayMs ?? null,
        sitemaps,
      },
      rows: [
        ["URL", url],
        ["agent", agent],
        ["allowed", allowed ? "yes" : "no"],
        ["decided by", line === undefined ? SILENCE[found.because] : `line ${line}: ${rule}`],
        ["group", groupText(found)],
        // The first rule decided; the others match, too, but are less specific.
        ...found.matching
          .slice(1)
          .map((other) => ["outweighed", `line ${other.line}: ${other.rule}`] as const),
        ["crawl delay", crawlDelayMs === undefined ? undefined : humanDuration(crawlDelayMs)],
        [
          "refused",
          found.crawlDelayTooLong ? "the crawl delay is longer than 5 minutes" : undefined,
        ],
        ["cut", found.cut ? "only the first 500 KiB are read" : undefined],
        ...sitemaps.map((sitemap) => ["sitemap", sitemap] as const),
      ],
    };
  },
  /** `{robots|robots_b64, agent, url}` gives `{allowed, line, crawlDelay, sitemaps}`, the delay in seconds. */
  batch: () => (question) => {
    const { bytes } = question.bytesOrText("robots", "robots_b64");
    const rules = RobotsRules.parse(bytes, question.text("agent") ?? PRODUCT);
    const { allowed, line } = rules.verdict(targetOf(question.needed("url")));
    const { crawlDelayMs, sitemaps } = rules;
    return {
      allowed,
      line: line ?? null,
      crawlDelay: crawlDelayMs === undefined ? null : crawlDelayMs / 1000,
      sitemaps,
    };
  },
};

const SILENCE: Readonly<Record<RobotsExplanation["because"], string>> = {
  rule: "",
  no_rule: "no rule matches, so it is allowed",
  no_group: "nothing is said to this crawler, so it is allowed",
  always: "robots.txt itself is always allowed",
};

function groupText({ group, groupLines, rules }: RobotsExplanation): string | undefined {
  if (group === "none") return undefined;
  const whom = group === "named" ? "this crawler" : "all crawlers";
  return `for ${whom}, line ${groupLines.join(", ")}, ${counted(rules, "rule")}`;
}

/** Path and query of what is asked about: a URL of any scheme, a path alone, or nothing, which means the root. */
function targetOf(text: string): string {
  const parsed = URL.canParse(text, ANY_ORIGIN) ? new URL(text, ANY_ORIGIN) : undefined;
  if (!parsed?.pathname.startsWith("/")) return "/";
  // `search` is also "" for an empty query, of which rules may see the "?".
  parsed.hash = "";
  const isEmptyQuery = parsed.search === "" && parsed.href.endsWith("?");
  return isEmptyQuery ? `${parsed.pathname}?` : parsed.pathname + parsed.search;
}

function agentOf(args: Arguments): string {
  const agent = textOf(args, "agent") ?? PRODUCT;
  if (/^[a-z_-]+$/i.test(agent)) return agent;
  throw new UsageError(
    `--agent ${agent} is not allowed; use a product name of letters, - and _, for example --agent Examplebot`,
  );
}

async function robotsOf(url: CrawlUrl, args: Arguments, io: Io): Promise<Uint8Array> {
  const file = textOf(args, "file");
  if (file !== undefined) return readNamedInput(file, "--file", io.stdin);
  const { fetchRobots } = await import("./check-fetch.ts");
  return fetchRobots(url, io);
}
