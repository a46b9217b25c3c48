import { type RuleLine, selectGroup } from "./robots-groups.ts";
import { respell, type Spelling, specificity, spellingsOf } from "./robots-octets.ts";
import { type MatchedRule, RobotsTable } from "./robots-table.ts";

/** No rule can forbid it. */
export const ROBOTS_PATH = "/robots.txt";

/** A host that asks for a longer pause between requests is not crawled at all. */
const MAX_CRAWL_DELAY_MS = 300_000;

/** What robots.txt says about one URL; line and rule name the record that decided, if any did. */
export interface RobotsVerdict {
  allowed: boolean;
  /** 1-based line of the deciding rule. */
  line: number | undefined;
  /** The deciding rule as it is written, such as "Disallow: /private/". */
  rule: string | undefined;
}

/** What parsing gives. */
interface Contents {
  tables: ReadonlyMap<Spelling, RobotsTable>;
  crawlDelayMs: number | undefined;
  sitemaps: readonly string[];
  contentSignal?: string | undefined;
}

/** The verdict for a URL that no rule matches. */
const ALLOWED: RobotsVerdict = Object.freeze({ allowed: true, line: undefined, rule: undefined });

/** Three times as many as in all groups of the largest real file that we know. */
const MAX_WILDCARD_RULES = 4096;
const OBJECT_BYTES = 400;
const STRING_BYTES = 40;
const INDEX_FILE = Buffer.from("/index.htm");
const SLASH = 0x2f;
const STAR = 0x2a;

/** Scratch space for one URL, replaced when too small; verdicts are synchronous, so one per thread is enough. */
let target = new Uint8Array(4096);

/** The rules of one robots.txt for one agent (RFC 9309): parsed once, asked once per URL. */
export class RobotsRules {
  /** What an absent robots.txt means. */
  static readonly allowAll = new RobotsRules({
    tables: new Map(),
    crawlDelayMs: undefined,
    sitemaps: [],
  });

  /** The pause the site asks for; never negative, possibly more than we accept. */
  readonly crawlDelayMs: number | undefined;
  /** The site asks for more than MAX_CRAWL_DELAY_MS: refuse the host, never crawl it faster than it asks. */
  readonly crawlDelayTooLong: boolean;
  /** Sitemap addresses as written, duplicates removed; they may be relative, and nothing is checked. */
  readonly sitemaps: readonly string[];
  /** What its Content-Signal lines say about the use of content. */
  readonly contentSignal: string | undefined;
  /** Approximate memory held. */
  readonly bytes: number;
  readonly #tables: ReadonlyMap<Spelling, RobotsTable>;
  readonly #plain: RobotsTable | undefined;

  private constructor({ tables, crawlDelayMs, sitemaps, contentSignal }: Contents) {
    this.#tables = tables;
    this.#plain = tables.size === 1 ? tables.get("plain") : undefined;
    this.crawlDelayMs = crawlDelayMs;
    this.crawlDelayTooLong = crawlDelayMs !== undefined && crawlDelayMs > MAX_CRAWL_DELAY_MS;
    this.sitemaps = sitemaps;
    this.contentSignal = contentSignal;
    let bytes = OBJECT_BYTES;
    for (const table of tables.values()) bytes += OBJECT_BYTES + table.bytes;
    for (const sitemap of sitemaps) bytes += STRING_BYTES + sitemap.length;
    this.bytes = bytes + (contentSignal?.length ?? 0);
  }

  /** Reads at most ROBOTS_MAX_BYTES in linear time and keeps what this agent needs; accepts any bytes. */
  static parse(bytes: Uint8Array, agent: string): RobotsRules {
    const group = selectGroup(bytes, agent);
    const bySpelling = new Map<Spelling, RuleLine[]>();
    for (const rule of affordable(bytes, withFolders(bytes, group.rules))) {
      const first = rule.start < rule.end ? bytes[rule.start] : undefined;
      // A path begins with "/", or with a wildcard that covers it; anything else matches no URL.
      if (first !== SLASH && first !== STAR) continue;
      for (const spelling of spellingsOf(bytes, rule.start, rule.end)) {
        const rules = bySpelling.get(spelling);
        if (rules === undefined) bySpelling.set(spelling, [rule]);
        else rules.push(rule);
      }
    }
    const tables = new Map<Spelling, RobotsTable>();
    for (const [spelling, rules] of bySpelling) {
      tables.set(spelling, new RobotsTable(bytes, rules, spelling));
    }
    const seconds = group.crawlDelaySeconds;
    return new RobotsRules({
      tables,
      crawlDelayMs:
        seconds === undefined ? undefined : Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER),
      sitemaps: group.sitemaps,
      contentSignal: group.contentSignal,
    });
  }

  /**
   * May this path and query be fetched as a page? The most specific matching rule decides, allow wins a tie; no rule
   * can forbid /robots.txt itself (RFC 9309, 2.2.2). The query is matched as it was found, also an empty one: a rule
   * that ends in `?` means /x? although /x is the same page to the seen-set.
   */
  verdict(pathAndQuery: string): RobotsVerdict {
    if (this.#tables.size === 0) return ALLOWED;
    if (this.#plain === undefined || pathAndQuery === ROBOTS_PATH) {
      const deciding = this.matching(pathAndQuery)[0];
      return deciding === undefined ? ALLOWED : toVerdict(deciding);
    }
    // A long one replaces the scratch space.
    const length = spell(pathAndQuery, "plain");
    const row = this.#plain.best(target, length);
    return row < 0 ? ALLOWED : toVerdict(this.#plain.describe(row));
  }

  /** Every rule that matches, the deciding one first. */
  matching(pathAndQuery: string): MatchedRule[] {
    if (pathAndQuery === ROBOTS_PATH) return [];
    const found = new Map<number, MatchedRule>();
    for (const [spelling, table] of this.#tables) {
      const length = spell(pathAndQuery, spelling);
      for (const rule of table.all(target, length)) {
        const other = found.get(rule.line);
        // A line and the folder it stands for may both match.
        if (other === undefined || other.specificity < rule.specificity) found.set(rule.line, rule);
      }
    }
    const order = (rule: MatchedRule) => rule.specificity * 2 + (rule.allow ? 1 : 0);
    return [...found.values()].sort((a, b) => order(b) - order(a) || a.line - b.line);
  }
}

/**
 * `Allow: /a/index.html` also allows `/a/`, the same page on nearly every server: as Google's parser does, the line
 * counts as `Allow: /a/$` too, whatever follows `/index.htm` in it.
 */
function withFolders(bytes: Uint8Array, rules: readonly RuleLine[]): readonly RuleLine[] {
  const folders = rules.flatMap((rule) => {
    if (!rule.allow) return [];
    const value = Buffer.from(bytes.buffer, bytes.byteOffset + rule.start, rule.end - rule.start);
    const at = value.lastIndexOf(SLASH);
    if (at < 0 || value.indexOf(INDEX_FILE, at) !== at) return [];
    return { ...rule, end: rule.start + at + 1, textEnd: rule.end };
  });
  return folders.length === 0 ? rules : [...rules, ...folders];
}

/**
 * Bounds the work of one verdict: literal rules are found by search, but every rule with a wildcard may have to be
 * tried. Those beyond the limit are never allowed what they might forbid: a disallow ends before its wildcard and stays
 * as specific as it was, so that no shorter allow overrules it; an allow is left out.
 */
function affordable(bytes: Uint8Array, rules: readonly RuleLine[]): readonly RuleLine[] {
  if (rules.length <= MAX_WILDCARD_RULES) return rules;
  let wildcards = 0;
  const kept: RuleLine[] = [];
  /** Of the rules that were cut, the most specific one for each beginning. */
  const cut = new Map<string, RuleLine>();
  for (const rule of rules) {
    let star = rule.start;
    while (star < rule.end && bytes[star] !== STAR) star++;
    if (star === rule.end || ++wildcards <= MAX_WILDCARD_RULES) kept.push(rule);
    else if (!rule.allow) keepStricter(cut, bytes, rule, Math.max(star, rule.start + 1));
  }
  return [...kept, ...cut.values()];
}

function keepStricter(
  cut: Map<string, RuleLine>,
  bytes: Uint8Array,
  rule: RuleLine,
  end: number,
): void {
  const { start, end: writtenEnd } = rule;
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  const key = beginning.toString("latin1");
  const other = cut.get(key);
  const rank = specificity(bytes, start, writtenEnd);
  if (other === undefined || rank > specificity(bytes, other.start, other.writtenEnd!))
    cut.set(key, { ...rule, end, writtenEnd });
}

function toVerdict({ allow, line, text }: MatchedRule): RobotsVerdict {
  return { allowed: allow, line, rule: `${allow ? "Allow" : "Disallow"}: ${text}` };
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
      return respell(bytes, 0, bytes.length, target, 0, spelling, false);
    }
    target[at] = code;
  }
  return text.length;
}
