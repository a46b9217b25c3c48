import { selectGroup } from "./robots-groups.ts";
import {
  END,
  respell,
  type Spelling,
  specificity,
  spellingsOf,
  WILDCARD,
} from "./robots-octets.ts";
import { type CompiledRule, type MatchedRule, RobotsTable } from "./robots-table.ts";

/** A host that asks for a longer pause between requests is not crawled at all. */
export const MAX_CRAWL_DELAY_MS = 300_000;

/** What robots.txt says about one URL; line and rule name the record that decided, if any did. */
export interface RobotsVerdict {
  allowed: boolean;
  /** 1-based line of the deciding rule. */
  line: number | undefined;
  /** The deciding rule as it is written, such as "Disallow: /private/". */
  rule: string | undefined;
}

/** The result of parsing that does not concern single URLs. */
interface Contents {
  tables: ReadonlyMap<Spelling, RobotsTable>;
  crawlDelayMs: number | undefined;
  sitemaps: readonly string[];
  /** The verdict for a URL that no rule matches. */
  otherwise: RobotsVerdict;
}

const ALLOWED: RobotsVerdict = Object.freeze({ allowed: true, line: undefined, rule: undefined });
const DISALLOWED: RobotsVerdict = Object.freeze({
  allowed: false,
  line: undefined,
  rule: undefined,
});

const ROBOTS_PATH = "/robots.txt";
const OBJECT_BYTES = 400;
const STRING_BYTES = 40;
const SLASH = 0x2f;
const STAR = 0x2a;

/** Scratch space for one URL, replaced when too small; verdicts are synchronous, so one per thread is enough. */
let target = new Uint8Array(4096);

/** The rules of one robots.txt for one agent (RFC 9309): parsed once, asked once per URL. */
export class RobotsRules {
  /** What an absent robots.txt means. */
  static readonly allowAll = new RobotsRules(empty(ALLOWED));
  /** What an unreachable robots.txt means. */
  static readonly disallowAll = new RobotsRules(empty(DISALLOWED));

  /** The pause the site asks for; never negative, possibly more than we accept. */
  readonly crawlDelayMs: number | undefined;
  /** The site asks for more than MAX_CRAWL_DELAY_MS: refuse the host, never crawl it faster than it asks. */
  readonly crawlDelayTooLong: boolean;
  /** Sitemap addresses as written, duplicates removed; they may be relative, and nothing is checked. */
  readonly sitemaps: readonly string[];
  /** Approximate memory held. */
  readonly bytes: number;
  readonly #tables: ReadonlyMap<Spelling, RobotsTable>;
  readonly #plain: RobotsTable | undefined;
  readonly #otherwise: RobotsVerdict;

  private constructor({ tables, crawlDelayMs, sitemaps, otherwise }: Contents) {
    this.#tables = tables;
    this.#plain = tables.size === 1 ? tables.get("plain") : undefined;
    this.#otherwise = otherwise;
    this.crawlDelayMs = crawlDelayMs;
    this.crawlDelayTooLong = crawlDelayMs !== undefined && crawlDelayMs > MAX_CRAWL_DELAY_MS;
    this.sitemaps = sitemaps;
    let bytes = OBJECT_BYTES;
    for (const table of tables.values()) bytes += OBJECT_BYTES + table.bytes;
    for (const sitemap of sitemaps) bytes += STRING_BYTES + sitemap.length;
    this.bytes = bytes;
  }

  /** Reads at most ROBOTS_MAX_BYTES in linear time and keeps what this agent needs; accepts any bytes. */
  static parse(bytes: Uint8Array, agent: string): RobotsRules {
    const group = selectGroup(bytes, agent);
    const compiled = new Map<Spelling, CompiledRule[]>();
    for (const { start, end, allow, line } of group.rules) {
      // A path begins with "/", or with a wildcard that covers it; anything else matches no URL.
      if (bytes[start] !== SLASH && bytes[start] !== STAR) continue;
      if (start === end) continue;
      const rule = {
        allow,
        line,
        text: bytes.subarray(start, end),
        specificity: specificity(bytes, start, end),
      };
      for (const spelling of spellingsOf(bytes, start, end)) {
        const rules = compiled.get(spelling) ?? [];
        rules.push({ ...rule, octets: compile(bytes, start, end, spelling) });
        compiled.set(spelling, rules);
      }
    }
    const tables = new Map(
      [...compiled].map(([spelling, rules]) => [spelling, new RobotsTable(rules)]),
    );
    const seconds = group.crawlDelaySeconds;
    return new RobotsRules({
      tables,
      crawlDelayMs:
        seconds === undefined ? undefined : Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER),
      sitemaps: group.sitemaps,
      otherwise: ALLOWED,
    });
  }

  /** May this path and query be fetched? The most specific matching rule decides, allow wins a tie. */
  verdict(pathAndQuery: string): RobotsVerdict {
    const deciding = this.#deciding(pathAndQuery);
    // RFC 9309, 2.2.2: /robots.txt is implicitly allowed; only a rule that spells it out takes that back.
    if (pathAndQuery === ROBOTS_PATH && !(deciding && deciding.specificity >= ROBOTS_PATH.length)) {
      return ALLOWED;
    }
    return deciding === undefined ? this.#otherwise : toVerdict(deciding);
  }

  #deciding(pathAndQuery: string): MatchedRule | undefined {
    if (this.#plain === undefined) return this.matching(pathAndQuery)[0];
    const length = spell(pathAndQuery, "plain");
    const row = this.#plain.best(target, length);
    return row < 0 ? undefined : this.#plain.describe(row);
  }

  /** Every rule that matches, the deciding one first. */
  matching(pathAndQuery: string): MatchedRule[] {
    const found = new Map<number, MatchedRule>();
    for (const [spelling, table] of this.#tables) {
      const length = spell(pathAndQuery, spelling);
      for (const rule of table.all(target, length)) found.set(rule.line, rule);
    }
    const order = (rule: MatchedRule) => rule.specificity * 2 + (rule.allow ? 1 : 0);
    return [...found.values()].sort((a, b) => order(b) - order(a) || a.line - b.line);
  }
}

function empty(otherwise: RobotsVerdict): Contents {
  return { tables: new Map(), crawlDelayMs: undefined, sitemaps: [], otherwise };
}

function toVerdict({ allow, line, text }: MatchedRule): RobotsVerdict {
  return { allowed: allow, line, rule: `${allow ? "Allow" : "Disallow"}: ${text}` };
}

/** Compiles a rule; wildcards at its end say nothing, since every rule matches beginnings. */
function compile(bytes: Uint8Array, start: number, end: number, spelling: Spelling): Uint8Array {
  const out = new Uint8Array((end - start) * 3);
  let length = respell(bytes, start, end, out, spelling, true);
  if (out[length - 1] === END && out[length - 2] === WILDCARD) length--;
  if (length > 0 && out[length - 1] === WILDCARD) length--;
  return out.subarray(0, length);
}

/** Writes a target into the scratch space in the given spelling and returns its length. */
function spell(pathAndQuery: string, spelling: Spelling): number {
  const text = pathAndQuery === "" ? "/" : pathAndQuery;
  if (target.length < text.length * 9) target = new Uint8Array(text.length * 9);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Most targets are plain ASCII without escapes, the same in every spelling.
    if (code <= 0x20 || code === 0x25 || code >= 0x7f) {
      const bytes = Buffer.from(text, "utf8");
      return respell(bytes, 0, bytes.length, target, spelling, false);
    }
    target[at] = code;
  }
  return text.length;
}
