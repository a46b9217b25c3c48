/** Stand-in. */
export interface RobotsExplanation {
  allowed: boolean;
  because: "rule" | "no_rule" | "no_group" | "robots_txt_itself";
  group: "named" | "any" | "none";
  groupLines: readonly number[];
  line: number | undefined;
  rule: string | undefined;
  matching: readonly { line: number; rule: string }[];
  rules: number;
  crawlDelayMs: number | undefined;
  crawlDelayTooLong: boolean;
  sitemaps: readonly string[];
  cut: boolean;
}
/** Stand-in: the first prefix rule of any group decides. */
export function explainRobots(
  bytes: Uint8Array,
  _agent: string,
  target: string,
): RobotsExplanation {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const at = lines.findIndex((line) => {
    const path = /^disallow: *(\S+)/i.exec(line)?.[1];
    return path !== undefined && target.startsWith(path);
  });
  const found = at >= 0;
  return {
    allowed: !found,
    because: found ? "rule" : "no_rule",
    group: "any",
    groupLines: [1],
    line: found ? at + 1 : undefined,
    rule: found ? lines[at]!.trim() : undefined,
    matching: [],
    rules: 1,
    crawlDelayMs: undefined,
    crawlDelayTooLong: false,
    sitemaps: [],
    cut: false,
  };
}
