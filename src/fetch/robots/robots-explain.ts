import { selectGroup } from "./robots-groups.ts";
import { ROBOTS_MAX_BYTES } from "./robots-lines.ts";
import { ROBOTS_PATH, RobotsRules } from "./robots-rules.ts";

/** Why a URL is allowed or not: what `orbweaver check robots` shows. */
export interface RobotsExplanation {
  allowed: boolean;
  /**
   * "rule": a line decided; "no_rule": the group has none that matches; "no_group": no group applies to this agent;
   * "always": the URL is that of robots.txt.
   */
  because: "rule" | "no_rule" | "no_group" | "always";
  /** Whether the group used names the agent or is that of `*`. */
  group: "named" | "any" | "none";
  /** 1-based lines of the user-agent records that select the group. */
  groupLines: readonly number[];
  line: number | undefined;
  rule: string | undefined;
  /** Every rule that matches the URL, the deciding one first. */
  matching: readonly { line: number; rule: string; allow: boolean; octets: number }[];
  /** Rules in the group, matching or not. */
  rules: number;
  crawlDelayMs: number | undefined;
  crawlDelayTooLong: boolean;
  sitemaps: readonly string[];
  /** The file is longer than what is read of it. */
  cut: boolean;
}

/** The verdict of `RobotsRules` together with its reasons. */
export function explainRobots(
  bytes: Uint8Array,
  agent: string,
  pathAndQuery: string,
): RobotsExplanation {
  const group = selectGroup(bytes, agent);
  const rules = RobotsRules.parse(bytes, agent);
  const verdict = rules.verdict(pathAndQuery);
  const matching = rules.matching(pathAndQuery).map(({ line, allow, text, specificity }) => ({
    line,
    rule: `${allow ? "Allow" : "Disallow"}: ${text}`,
    allow,
    octets: specificity,
  }));
  const silent = group.kind === "none" ? "no_group" : "no_rule";
  const unsaid = pathAndQuery === ROBOTS_PATH ? "always" : silent;
  const because = verdict.line !== undefined ? "rule" : unsaid;
  return {
    allowed: verdict.allowed,
    because,
    group: group.kind,
    groupLines: group.agentLines,
    line: verdict.line,
    rule: verdict.rule,
    matching,
    rules: group.rules.length,
    crawlDelayMs: rules.crawlDelayMs,
    crawlDelayTooLong: rules.crawlDelayTooLong,
    sitemaps: rules.sitemaps,
    cut: bytes.byteLength > ROBOTS_MAX_BYTES,
  };
}
