import type { Expected } from "../../src/web/hostile/case.ts";
import type { PlayedCase } from "../../src/web/hostile/hostile-web.ts";
import type { SeenConnection, WitnessReport } from "../../src/web/hostile/witness.ts";
import type { HostileCrawl } from "./hostile-process.ts";

/** Everything a crawl did that its case did not expect, in words; empty when all is well. */
export class Judge {
  readonly #lines: ReadonlyMap<string, HostileCrawl["log"]>;
  readonly #skipped: ReadonlyMap<string, string>;
  readonly #titles: ReadonlyMap<string, string>;
  readonly #report: WitnessReport;
  readonly #port: number;
  readonly #slackS: number;

  constructor(crawl: HostileCrawl, report: WitnessReport, port: number) {
    this.#port = port;
    this.#slackS = crawl.slackS;
    const lines = new Map<string, HostileCrawl["log"]>();
    for (const line of crawl.log) lines.set(line.url, [...(lines.get(line.url) ?? []), line]);
    this.#lines = lines;
    this.#skipped = new Map(crawl.skipped.map(({ url, reason }) => [url, reason]));
    this.#titles = new Map(crawl.pages.map(({ url, title }) => [url, title]));
    this.#report = report;
  }

  /** What is wrong with one case. */
  problems(hostile: PlayedCase): string[] {
    const found = hostile.expected.flatMap((expected) => this.#outcome(hostile, expected));
    return [...found, ...this.#connections(hostile)];
  }

  #outcome(hostile: PlayedCase, expected: Expected): string[] {
    const { at, outcome } = expected;
    if (outcome === "skipped") {
      const reason = this.#skipped.get(at!);
      return reason === expected.error ? [] : [`${at} should be skipped: it is ${reason}`];
    }
    // As the crawler writes a URL: without credentials and fragment.
    const base = expected.plain === true ? `http://${hostile.address}:${this.#port}/` : hostile.url;
    const url = new URL(at ?? "", base);
    url.username = url.password = url.hash = "";
    const lines = this.#lines.get(url.href) ?? [];
    if (outcome === "absent") return lines.length === 0 ? [] : [`${url.href} should not be asked`];
    if (lines.length !== 1) return [`${url.href} has ${lines.length} lines in the log`];
    return [
      ...this.#line(url.href, lines[0]!, expected),
      ...this.#asked(hostile, url.pathname + url.search, expected.requests),
    ];
  }

  /** How often the server of the case was asked for a path. */
  #asked(hostile: PlayedCase, path: string, wanted: number | undefined): string[] {
    if (wanted === undefined) return [];
    const seen = (this.#report[hostile.address] ?? []).flatMap(({ requests }) => requests);
    const { length } = seen.filter((request) => request.path === path);
    return length === wanted ? [] : [`${path} was asked ${length} times instead of ${wanted}`];
  }

  #line(url: string, line: HostileCrawl["log"][number], expected: Expected): string[] {
    if (line.outcome === "refused" && line.error === expected.orRefused) return [];
    const problems: string[] = [];
    const codes: readonly string[] = [expected.error ?? ""].flat();
    const shown = `${line.outcome} ${line.error ?? ""} ${line.detail ?? ""}`;
    if (line.outcome !== expected.outcome || !codes.includes(line.error ?? "")) {
      problems.push(`${url} should be ${expected.outcome} ${codes.join("|")}: it is ${shown}`);
    }
    if (expected.truncated !== undefined && line.truncated !== expected.truncated) {
      problems.push(`${url} should be truncated ${expected.truncated}, not ${line.truncated}`);
    }
    const title = this.#titles.get(url);
    if (expected.title !== undefined && title !== expected.title) {
      problems.push(`${url} should have the title ${expected.title}, not ${title}`);
    }
    return problems;
  }

  #connections(hostile: PlayedCase): string[] {
    const problems: string[] = [];
    const seen = this.#report[hostile.address] ?? [];
    const path = new URL(hostile.url).pathname;
    problems.push(...this.#asked(hostile, path, hostile.requests));
    problems.push(...this.#asked(hostile, "/robots.txt", hostile.robotsRequests));
    for (const connection of seen) problems.push(...this.#connection(hostile, connection, path));
    return problems;
  }

  #connection(hostile: PlayedCase, connection: SeenConnection, path: string): string[] {
    const problems: string[] = [];
    const at = connection.requests.findIndex((request) => request.path === path);
    const { length } = connection.requests;
    if (hostile.closes === true && at >= 0 && at !== length - 1) {
      problems.push("the connection was used again");
    }
    const mine = at >= 0 || (hostile.url.startsWith("https:") && length === 0);
    if (hostile.seconds !== undefined && mine) {
      const from = at >= 0 ? connection.requests[at]!.atMs : connection.openedMs;
      const seconds = ((connection.closedMs ?? Number.POSITIVE_INFINITY) - from) / 1000;
      const [min, most] = hostile.seconds;
      const max = most + this.#slackS;
      if (seconds < min || seconds > max)
        problems.push(`it took ${seconds} s, not ${min} to ${max}`);
    }
    return problems;
  }
}
