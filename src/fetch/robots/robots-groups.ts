import { type RobotsField, scanLines } from "./robots-lines.ts";

/** One allow or disallow line: where its value lies in the scanned bytes. */
export interface RuleLine {
  allow: boolean;
  start: number;
  end: number;
  line: number;
  /** Where its value ends as written, when only its beginning is used: it is as specific as the whole. */
  writtenEnd?: number;
  /** Only on a rule for a folder that stands for its `index.html`: where the line as written ends. */
  textEnd?: number;
}

/** What one agent has to know of a robots.txt, before patterns are compiled. */
export interface RobotsGroup {
  /** "named" when a group names the agent, "any" when only `*` groups apply, "none" when nothing does. */
  kind: "named" | "any" | "none";
  /** Lines of the user-agent records that select the group. */
  agentLines: readonly number[];
  rules: readonly RuleLine[];
  crawlDelaySeconds: number | undefined;
  sitemaps: readonly string[];
  /** What its Content-Signal lines say about the use of content, joined; such lines before any group are for everybody. */
  contentSignal: string | undefined;
}

/** A number as sites write it; neither hexadecimal nor "Infinity", which Number() would accept. */
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const MAX_SIGNAL_BYTES = 200;
const MAX_SIGNALS = 5;

/** Collects the lines of one kind of group; all groups with the same name count as one (RFC 9309, 2.2.1). */
class Selection {
  readonly agentLines: number[] = [];
  readonly rules: RuleLine[] = [];
  delaySeconds: number | undefined;
  readonly signals: string[] = [];
  /** Whether the group being read, as RFC 9309 delimits it, belongs to this selection. */
  inGroup = false;
  /**
   * The same for Crawl-delay, which also ends the list of agents before it. The RFC forbids other records to
   * influence groups of rules, but sites write one delay per agent without any rule between.
   */
  inDelayGroup = false;

  addDelay(seconds: number): void {
    // Of two delays the longer one offends nobody.
    if (this.inDelayGroup) this.delaySeconds = Math.max(seconds, this.delaySeconds ?? 0);
  }
}

/** The product token of a user agent, in lower case: what stands before the version. */
function productToken(agent: string): string {
  const slash = agent.indexOf("/");
  const token = (slash < 0 ? agent : agent.slice(0, slash)).trim();
  return Buffer.from(token, "utf8").toString("latin1").toLowerCase();
}

/** Reads a robots.txt for one agent: its own groups if any names it, otherwise those of `*`. */
export function selectGroup(bytes: Uint8Array, agent: string): RobotsGroup {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const token = productToken(agent);
  const named = new Selection();
  const any = new Selection();
  const sitemaps = new Set<string>();
  let sawAgent = false;
  let sawRule = false;
  let sawDelayOrRule = false;

  function startGroup(start: number, end: number, line: number): void {
    sawAgent = true;
    for (const selection of [named, any]) {
      if (sawRule) selection.inGroup = false;
      if (sawDelayOrRule) selection.inDelayGroup = false;
    }
    sawRule = false;
    sawDelayOrRule = false;
    const selection = isAny(view, start, end)
      ? any
      : names(view, start, end, token)
        ? named
        : undefined;
    if (selection === undefined) return;
    selection.inGroup = true;
    selection.inDelayGroup = true;
    selection.agentLines.push(line);
  }

  scanLines(view, (field: RobotsField, start: number, end: number, line: number) => {
    if (field === "user-agent") return startGroup(start, end, line);
    if (field === "sitemap") {
      if (end > start) sitemaps.add(view.toString("utf8", start, end));
      return;
    }
    if (field === "content-signal") {
      const text = view.toString("latin1", start, Math.min(end, start + MAX_SIGNAL_BYTES));
      for (const selection of [named, any])
        if (selection.inGroup || !sawAgent) selection.signals.push(text);
      return;
    }
    sawDelayOrRule = true;
    if (field === "crawl-delay") {
      const text = view.toString("latin1", start, end);
      if (!DECIMAL.test(text)) return;
      named.addDelay(Number(text));
      any.addDelay(Number(text));
      return;
    }
    sawRule = true;
    const rule = { allow: field === "allow", start, end, line };
    if (named.inGroup) named.rules.push(rule);
    else if (any.inGroup) any.rules.push(rule);
  });

  const kind = named.agentLines.length > 0 ? "named" : any.agentLines.length > 0 ? "any" : "none";
  const { agentLines, rules, delaySeconds, signals } = kind === "named" ? named : any;
  return {
    kind,
    agentLines,
    rules,
    crawlDelaySeconds: delaySeconds,
    sitemaps: [...sitemaps],
    contentSignal: signals.slice(0, MAX_SIGNALS).join(", ") || undefined,
  };
}

/** `*`, also when words follow it. */
function isAny(view: Buffer, start: number, end: number): boolean {
  return view[start] === 0x2a && (end === start + 1 || view[start + 1]! <= 0x20);
}

/**
 * Whether a user-agent value names the agent: by its leading letters, `_` and `-` (a product token as RFC 9309
 * defines it, so that a version may follow), or by its first word as a whole, for agents with digits in the name.
 */
function names(view: Buffer, start: number, end: number, token: string): boolean {
  // An agent without a token can still read the groups of `*`.
  if (token === "") return false;
  let letters = start;
  while (letters < end && isTokenByte(view[letters]!)) letters++;
  let word = letters;
  while (word < end && view[word]! > 0x20 && view[word] !== 0x2f) word++;
  return equals(view, start, letters, token) || equals(view, start, word, token);
}

function equals(view: Buffer, start: number, end: number, token: string): boolean {
  return (
    end - start === token.length && view.toString("latin1", start, end).toLowerCase() === token
  );
}

function isTokenByte(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || byte === 0x2d || byte === 0x5f;
}
