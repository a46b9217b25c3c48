/** Stand-in. */
export interface RobotsVerdict {
  allowed: boolean;
  line: number | undefined;
  rule: string | undefined;
}
/** Stand-in: prefix rules of all groups. */
export class RobotsRules {
  readonly crawlDelayMs: number | undefined = undefined;
  readonly sitemaps: readonly string[] = [];
  readonly #lines: string[];
  constructor(lines: string[]) {
    this.#lines = lines;
  }
  static parse(bytes: Uint8Array, _agent: string): RobotsRules {
    return new RobotsRules(new TextDecoder().decode(bytes).split("\n"));
  }
  verdict(target: string): RobotsVerdict {
    const at = this.#lines.findIndex((line) => {
      const path = /^disallow: *(\S+)/i.exec(line)?.[1];
      return path !== undefined && target.startsWith(path);
    });
    if (at < 0) return { allowed: true, line: undefined, rule: undefined };
    return { allowed: false, line: at + 1, rule: this.#lines[at]!.trim() };
  }
}
