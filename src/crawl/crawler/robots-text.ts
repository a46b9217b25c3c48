import type { RobotsAnswer } from "../../fetch/robots/robots-fetcher.ts";

/** What a robots.txt says about a host as a whole, in words; null when it was not asked, or is forgotten. */
export function robotsText(answer: RobotsAnswer | undefined): string | null {
  if (answer === undefined || answer.kind === "postponed") return null;
  if (answer.kind === "unreachable") return `not readable: ${answer.error}`;
  const { line, rule, allowed } = answer.rules.verdict("/");
  const delayMs = answer.rules.crawlDelayMs;
  const delay = delayMs === undefined ? "" : `; Crawl-delay: ${delayMs / 1000}`;
  const root = line === undefined ? "no rule for /" : `line ${line}: ${rule}`;
  return `${allowed ? root : `${root} (nothing may be fetched)`}${delay}`;
}
