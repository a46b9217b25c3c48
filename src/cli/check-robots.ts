import { humanDuration } from "../config/durations.ts";
import { readNamedInput } from "../config/named-file.ts";
import { readSeed } from "../config/seed-line.ts";
import { PRODUCT } from "../config/user-agent.ts";
import { EXIT, UsageError } from "../errors.ts";
import { explainRobots, type RobotsExplanation } from "../fetch/robots-explain.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { partsOf } from "../url/url-parts.ts";
import { oneWord, printJson, printRows } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import { textOf } from "./check-options.ts";
import type { Io } from "./io.ts";

const EXAMPLE = "orbweaver check robots https://example.org/private/ --file robots.txt";

/** `orbweaver check robots URL`: whether robots.txt allows a URL, and which line decides. */
export async function checkRobots(
  words: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  const url = urlOf(oneWord(words, "URL", EXAMPLE));
  const agent = agentOf(args);
  const why = explainRobots(await robotsOf(url, args, io), agent, partsOf(url).target);
  if (args.options.get("json") === true) {
    const {
      allowed,
      line = null,
      rule = null,
      crawlDelayMs = null,
      sitemaps,
      because,
      group,
    } = why;
    printJson(io, { url, agent, allowed, because, line, rule, group, crawlDelayMs, sitemaps });
    return EXIT.finished;
  }
  const [, ...others] = why.matching;
  printRows(io, [
    ["URL", url],
    ["agent", agent],
    ["allowed", why.allowed ? "yes" : "no"],
    ["because", BECAUSE[why.because](why)],
    ["group", groupText(why)],
    ...(why.because === "rule" ? others : []).map(
      ({ line, rule }) => ["weaker", `line ${line}: ${rule}`] as const,
    ),
    ["crawl delay", delayText(why)],
    ...why.sitemaps.map((sitemap) => ["sitemap", sitemap] as const),
    ["note", why.cut ? "the file is longer than what is read of it" : undefined],
  ]);
  return EXIT.finished;
}

const BECAUSE: Record<RobotsExplanation["because"], (why: RobotsExplanation) => string> = {
  rule: ({ line, rule }) => `line ${line}: ${rule}`,
  no_rule: () => "no rule of the group matches",
  no_group: () => "the file says nothing to this agent",
  robots_txt_itself: () => "robots.txt itself may always be fetched",
};

function groupText({ group, groupLines, rules }: RobotsExplanation): string {
  if (group === "none") return "none";
  const lines = groupLines.slice(0, 5).join(", ") + (groupLines.length > 5 ? ", …" : "");
  const whose = group === "named" ? "for this agent by name" : "for every agent (*)";
  return `${whose}, from line ${lines}; ${rules} rules`;
}

function delayText({ crawlDelayMs, crawlDelayTooLong }: RobotsExplanation): string | undefined {
  if (crawlDelayMs === undefined) return undefined;
  const shown = humanDuration(crawlDelayMs);
  return crawlDelayTooLong ? `${shown}, longer than we wait: the host is not crawled` : shown;
}

function urlOf(text: string): CrawlUrl {
  const read = readSeed(text);
  if ("url" in read) return read.url;
  throw new UsageError(`${text}: ${read.reason}; for example ${EXAMPLE}`);
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
  if (file === undefined) {
    const { fetchRobots } = await import("./fetch-robots.ts");
    return fetchRobots(url, io);
  }
  return readNamedInput(file, "--file", io.stdin);
}
