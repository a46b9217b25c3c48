import { printable } from "../config/printable.ts";
import { humanDuration } from "../config/values/durations.ts";
import { humanSize } from "../config/values/sizes.ts";
import type { CrawlProgress } from "../crawl/events.ts";
import type { Output } from "./io.ts";
import { count, counted } from "./print-summary.ts";

/** How progress is shown. */
export interface ProgressOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly quiet?: boolean;
  /** Whether the terminal can move its cursor; found out from the stream when absent. */
  readonly live?: boolean;
}

const RATE_WINDOW_MS = 5000;
const LIVE_EVERY_MS = 250;
const LINE_EVERY_MS = 5000;
const DEFAULT_COLUMNS = 80;

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const ERASE_LINE = "\x1b[K";
const ERASE_BELOW = "\x1b[J";

/**
 * Shows progress: on a terminal a few lines redrawn in place, in a pipe one line per five seconds. Call `update` as often
 * as you like (four times a second is enough) and `close` in a finally.
 */
export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #mode: "quiet" | "live" | "lines";
  readonly #startedAt: number;
  readonly #rate = new Rate();
  #shownAt: number;
  #drawn: readonly string[] = [];
  #closed = false;
  // The cursor is restored even if the process ends in the middle.
  readonly #restore = () => this.#write(SHOW_CURSOR);

  constructor(output: Output, options: ProgressOptions) {
    this.#output = output;
    this.#now = options.now;
    const live = options.live ?? (output.isTTY === true && process.env.TERM !== "dumb");
    this.#mode = options.quiet ? "quiet" : live ? "live" : "lines";
    this.#startedAt = options.now();
    // The first live view is drawn at once, the first line after a full interval.
    this.#shownAt = live ? Number.NEGATIVE_INFINITY : this.#startedAt;
  }

  /** Takes the newest figures and shows them if the interval is over. */
  update(snapshot: CrawlProgress): void {
    if (this.#closed || this.#mode === "quiet") return;
    const now = this.#now();
    this.#rate.add(now, snapshot.thisRun.pages);
    if (now - this.#shownAt < (this.#mode === "live" ? LIVE_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAt = now;
    const fields = this.#fields(snapshot, now);
    if (this.#mode === "live") this.#draw(fields);
    else this.#write(`${fields.join(", ")}\n`);
  }

  /** Prints a line above the view, for example a warning, which no redraw overwrites. */
  note(text: string): void {
    const line = `${printable(text, 2000)}\n`;
    const drawn = this.#drawn;
    this.#write(this.#home() + (drawn.length > 0 ? ERASE_BELOW : "") + line);
    this.#drawn = [];
    if (drawn.length > 0) this.#paint(drawn);
  }

  /** Removes the live view and gives the cursor back; safe to call twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#mode !== "live" || this.#drawn.length === 0) return;
    this.#write(this.#home() + ERASE_BELOW + SHOW_CURSOR);
    process.removeListener("exit", this.#restore);
  }

  #fields(snapshot: CrawlProgress, now: number): string[] {
    const { runs, thisRun } = snapshot;
    const inAll = (all: string) => (runs > 1 ? ` (${all} in all)` : "");
    return [
      counted(thisRun.pages, "page") + inAll(count(snapshot.pages)),
      `${count(this.#rate.perSecond())} pages/s`,
      `${count(snapshot.queued)} queued`,
      `${count(snapshot.inFlight)} in flight`,
      `${count(thisRun.failed)} failed${inAll(count(snapshot.failed))}`,
      `${count(thisRun.refused)} refused${inAll(count(snapshot.refused))}`,
      humanSize(thisRun.bytes) + inAll(humanSize(snapshot.bytes)),
      `${counted(snapshot.hostsWaiting, "host")} waiting`,
      this.#time(snapshot, now),
      `RSS ${Math.round(snapshot.rssBytes / 2 ** 20)} MiB`,
    ];
  }

  #time({ runs, thisRun, seconds }: CrawlProgress, now: number): string {
    const runMs = now - this.#startedAt;
    const beforeMs = (seconds - thisRun.seconds) * 1000;
    const inAll = runs > 1 ? ` (${humanDuration(beforeMs + runMs)} in all)` : "";
    return humanDuration(runMs) + inAll;
  }

  #draw(fields: readonly string[]): void {
    const first = this.#drawn.length === 0;
    if (first) {
      process.once("exit", this.#restore);
      this.#write(HIDE_CURSOR);
    }
    // One column stays free: a full line would make some terminals wrap.
    this.#paint(fitLines(fields, (this.#output.columns || DEFAULT_COLUMNS) - 1));
  }

  #paint(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}${ERASE_LINE}\n`).join("");
    this.#write(this.#home() + text + ERASE_BELOW);
    this.#drawn = lines;
  }

  /** Back to the first line of what is on the screen, even if the window has become narrower since. */
  #home(): string {
    const columns = this.#output.columns || DEFAULT_COLUMNS;
    const rows = this.#drawn.reduce(
      (n, line) => n + Math.max(1, Math.ceil(line.length / columns)),
      0,
    );
    return rows === 0 ? "" : `\x1b[${rows}A\r`;
  }

  #write(text: string): void {
    this.#output.write(text);
  }
}

/** Lays fields out in as few lines as the width allows; a field that is too long alone is cut. */
export function fitLines(fields: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const field of fields) {
    const cut = field.slice(0, Math.max(1, width));
    const joined = lines.length === 0 ? "" : `${lines.at(-1)}  ${cut}`;
    if (joined !== "" && joined.length <= width) lines[lines.length - 1] = joined;
    else lines.push(cut);
  }
  return lines;
}

/** Pages per second over the last seconds, so that the figure follows what happens now. */
export class Rate {
  readonly #points: { at: number; total: number }[] = [];

  /** Takes a running total at a time. */
  add(atMs: number, total: number): void {
    this.#points.push({ at: atMs, total });
    // The newest point outside the window stays: it is where the window begins.
    while (this.#points.length > 2 && this.#points[1]!.at <= atMs - RATE_WINDOW_MS)
      this.#points.shift();
  }

  /** 0 until two moments are known. */
  perSecond(): number {
    const first = this.#points[0];
    const last = this.#points.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return 0;
    return ((last.total - first.total) * 1000) / (last.at - first.at);
  }
}
