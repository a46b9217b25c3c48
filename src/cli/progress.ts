import { printable } from "../config/printable.ts";
import { humanDuration } from "../config/values/durations.ts";
import type { CrawlProgress } from "../crawl/events.ts";
import type { Figures } from "../stats/crawl-figures.ts";
import { type Colours, NO_COLOURS } from "./colours.ts";
import type { Output } from "./io.ts";
import {
  type Block,
  barOf,
  type Field,
  figureFields,
  type Line,
  layOut,
  leftText,
  type Outlook,
  OutlookKeeper,
  outlookBlocks,
  shareOfLimit,
} from "./progress-view.ts";

/** How progress is shown. */
export interface ProgressOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly quiet?: boolean;
  /** Whether the terminal can move its cursor; found out from the stream when absent. */
  readonly live?: boolean;
  readonly colours?: Colours;
  /** Whether the terminal can show blocks for the bar. */
  readonly unicode?: boolean;
  /** For the share of the CPU that a crawl uses. */
  readonly cores?: number;
}

const RATE_WINDOW_MS = 5000;
const LIVE_EVERY_MS = 250;
const LINE_EVERY_MS = 5000;
const DEFAULT_COLUMNS = 80;
/** The bar takes a quarter of a line, within these bounds. */
const MIN_BAR = 8;
const MAX_BAR = 32;

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
  readonly #colours: Colours;
  readonly #isUnicode: boolean;
  readonly #keeper: OutlookKeeper;
  #outlook: Outlook | undefined;
  #slowest: string | undefined;
  #shownAt: number;
  #drawn: readonly Line[] = [];
  #closed = false;
  // The cursor is restored even if the process ends in the middle.
  readonly #restore = () => this.#write(SHOW_CURSOR);

  constructor(output: Output, options: ProgressOptions) {
    this.#output = output;
    this.#now = options.now;
    this.#colours = options.colours ?? NO_COLOURS;
    this.#isUnicode = options.unicode ?? true;
    this.#keeper = new OutlookKeeper(options.cores ?? 1);
    const live = options.live ?? (output.isTTY === true && process.env.TERM !== "dumb");
    this.#mode = options.quiet ? "quiet" : live ? "live" : "lines";
    this.#startedAt = options.now();
    // The first live view is drawn at once, the first line after a full interval.
    this.#shownAt = live ? Number.NEGATIVE_INFINITY : this.#startedAt;
  }

  /** Takes what says how the crawl goes; it is shown with the next update. */
  outlook(figures: Figures): void {
    this.#outlook = this.#keeper.add(figures);
  }

  /** The host that will keep the crawl longest, in words; undefined when there is none. */
  slowest(text: string | undefined): void {
    this.#slowest = text;
  }

  /** Takes the newest figures and shows them if the interval is over. */
  update(snapshot: CrawlProgress): void {
    if (this.#closed || this.#mode === "quiet") return;
    const now = this.#now();
    this.#rate.add(now, snapshot.thisRun.pages);
    if (now - this.#shownAt < (this.#mode === "live" ? LIVE_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAt = now;
    const fields = figureFields(
      snapshot,
      this.#rate.perSecond(),
      this.#time(snapshot, now),
      this.#colours,
    );
    if (this.#mode === "live") this.#draw(fields, snapshot);
    else
      this.#write(`${[...fields, ...this.#more(snapshot)].map(({ text }) => text).join(", ")}\n`);
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

  /** What a plain line says beside the figures. */
  #more(snapshot: CrawlProgress): Field[] {
    const outlook = this.#outlook;
    if (outlook === undefined) return [];
    const used = usedNow(outlook, snapshot);
    const left = leftText(outlook);
    return [
      ...(used === undefined ? [] : [{ text: `${percent(used.share)} of ${used.limit}` }]),
      ...(left === undefined ? [] : [{ text: left }]),
      ...outlookBlocks(outlook, this.#slowest, this.#colours).flat(),
    ];
  }

  /** The bar, with the share of the nearest limit and the time that is left; nothing without a limit. */
  #bar(outlook: Outlook, snapshot: CrawlProgress, width: number): Block {
    const left = leftText(outlook);
    const time = left === undefined ? [] : [{ text: left, paint: this.#colours.bold }];
    const used = usedNow(outlook, snapshot);
    if (used === undefined) return time;
    const columns = Math.max(MIN_BAR, Math.min(MAX_BAR, Math.floor(width / 4)));
    const [full, empty] = barOf(used.share, columns, this.#isUnicode);
    const { green, dim } = this.#colours;
    const paint = () => green(full) + dim(empty);
    return [
      { text: full + empty, paint },
      { text: `${percent(used.share)} of ${used.limit}` },
      ...time,
    ];
  }

  #time({ runs, thisRun, seconds }: CrawlProgress, now: number): string {
    const runMs = now - this.#startedAt;
    const beforeMs = (seconds - thisRun.seconds) * 1000;
    const inAll = runs > 1 ? ` (${humanDuration(beforeMs + runMs)} in all)` : "";
    return humanDuration(runMs) + inAll;
  }

  #draw(fields: readonly Field[], snapshot: CrawlProgress): void {
    const first = this.#drawn.length === 0;
    if (first) {
      process.once("exit", this.#restore);
      this.#write(HIDE_CURSOR);
    }
    // One column stays free: a full line would make some terminals wrap.
    const width = (this.#output.columns || DEFAULT_COLUMNS) - 1;
    const outlook = this.#outlook;
    const blocks =
      outlook === undefined
        ? [fields]
        : [
            this.#bar(outlook, snapshot, width),
            fields,
            ...outlookBlocks(outlook, this.#slowest, this.#colours),
          ];
    this.#paint(layOut(blocks, width));
  }

  #paint(lines: readonly Line[]): void {
    const text = lines.map(({ painted }) => `${painted}${ERASE_LINE}\n`).join("");
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

/** Of the newest figures, so that the bar and the number of pages beside it agree. */
function usedNow({ figures }: Outlook, { pages, bytes, thisRun }: CrawlProgress) {
  return shareOfLimit({ limits: figures.limits, pages, bytes, runSeconds: thisRun.seconds });
}

/** A share for people: never 100 % before the end. */
function percent(share: number): string {
  return `${Math.floor(100 * share)} %`;
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
