import { meaningOf } from "../../crawl/visit/error-codes.ts";
import { parseJson } from "../../store/files/jsonl.ts";
import { readLines } from "../../store/files/read-file.ts";
import { crawlPaths, withParts } from "../../store/folder/crawl-folder.ts";
import { parsedLine } from "../../store/lists/log-line.ts";
import { type Share, Tally } from "../numbers/tally.ts";

/** What became of the URLs that are no pages, as far as a report needs it. */
interface OutcomeLine {
  readonly url: string;
  readonly outcome: string;
  readonly status?: number;
  readonly error?: string;
  readonly location?: string;
  readonly parent?: string;
}

/** URLs with the same stable code. */
export interface CodeCount {
  readonly code: string;
  /** The code in words. */
  readonly meaning: string;
  readonly urls: number;
  /** The hosts with the most of them; their `pages` are URLs. */
  readonly hosts: readonly Share[];
  readonly examples: readonly string[];
}

/** A redirect as it was answered. */
export interface RedirectExample {
  readonly url: string;
  readonly status: number;
  readonly location: string;
}

/** What the log tells about URLs that are no pages. */
export interface LogSurvey {
  /** URLs by outcome, pages left out. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly failed: readonly CodeCount[];
  readonly refused: readonly CodeCount[];
  readonly trapped: readonly CodeCount[];
  readonly redirects: {
    readonly urls: number;
    readonly toOtherHosts: number;
    readonly byStatus: readonly Share[];
    readonly examples: readonly RedirectExample[];
  };
}

const PAGE = '","outcome":"page"';
const REFUSED_BY_TRAP = "trap_";

/** Goes through the log once; `onFailed` is called for every URL that failed, with its code. */
export function surveyLog(
  dir: string,
  top: number,
  onFailed: (url: string, code: string, parent: string | undefined) => void,
): LogSurvey {
  const outcomes = new Tally();
  const groups = { failed: new Codes(), refused: new Codes(), trapped: new Codes() };
  const byStatus = new Tally();
  const examples: RedirectExample[] = [];
  let toOtherHosts = 0;
  for (const line of outcomeLines(dir)) {
    const { url, outcome, error = "", status = 0, location } = line;
    outcomes.add(outcome);
    if (outcome === "failed") {
      groups.failed.add(error, url);
      onFailed(url, error, line.parent);
    } else if (outcome === "refused") {
      groups[error.startsWith(REFUSED_BY_TRAP) ? "trapped" : "refused"].add(error, url);
    } else if (outcome === "redirect") {
      byStatus.add(String(status));
      if (location === undefined) continue;
      if (hostOf(location) !== hostOf(url)) toOtherHosts++;
      if (examples.length < top) examples.push({ url, status, location });
    }
  }
  return {
    outcomes: Object.fromEntries(
      outcomes.top(outcomes.size).map((each) => [each.name, each.pages]),
    ),
    failed: groups.failed.list(top),
    refused: groups.refused.list(top),
    trapped: groups.trapped.list(top),
    redirects: { urls: byStatus.total, toOtherHosts, byStatus: byStatus.top(20), examples },
  };
}

function* outcomeLines(dir: string): Generator<OutcomeLine, void> {
  for (const path of withParts(crawlPaths(dir).log))
    for (const line of readLines(path)) {
      if (line.includes(PAGE)) continue;
      const parsed = parsedLine(line) as OutcomeLine | undefined;
      if (parsed?.outcome !== undefined) yield parsed;
    }
}

/** Links that were not followed, by their reason, from reports/skipped.jsonl. */
export function skippedLinks(dir: string): { reason: string; meaning: string; links: number }[] {
  const reasons = new Tally();
  for (const path of withParts(crawlPaths(dir).skipped))
    for (const line of readLines(path)) {
      const reason = (parseJson(line) as { reason?: string } | undefined)?.reason;
      if (reason !== undefined) reasons.add(reason);
    }
  return reasons
    .top(reasons.size)
    .map(({ name, pages }) => ({ reason: name, meaning: meaningOf(name), links: pages }));
}

/** URLs by code, with hosts and examples. */
class Codes {
  readonly #codes = new Map<string, { hosts: Tally; examples: string[] }>();

  add(code: string, url: string): void {
    const group = this.#codes.get(code) ?? { hosts: new Tally(), examples: [] };
    this.#codes.set(code, group);
    group.hosts.add(hostOf(url));
    if (group.examples.length < 3) group.examples.push(url);
  }

  list(top: number): CodeCount[] {
    return [...this.#codes]
      .map(([code, { hosts, examples }]) => ({
        code,
        meaning: meaningOf(code),
        urls: hosts.total,
        hosts: hosts.top(top),
        examples,
      }))
      .sort((a, b) => b.urls - a.urls || (a.code < b.code ? -1 : 1));
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
