import { printable } from "../config/printable.ts";
import { humanDuration } from "../config/values/durations.ts";
import { humanSize } from "../config/values/sizes.ts";
import type { CrawlProgress } from "../crawl/events.ts";
import type { Figures } from "../stats/crawl-figures.ts";
import { type TimeLeft, timeLeft } from "../stats/estimate-end.ts";
import { type Limited, limitingFactor } from "../stats/limiting-factor.ts";
import type { Colours, Paint } from "./colours.ts";
import { count, counted, topErrors } from "./print-summary.ts";

/** A piece of text that is not broken, and how it is painted. */
export interface Field {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

/** Fields that share lines where they fit; the next block begins a new line. */
export type Block = readonly Field[];

/** What is known beside the figures that change four times a second. */
export interface Outlook {
  readonly figures: Figures;
  readonly limited: Limited;
  readonly left: TimeLeft | undefined;
}

/** The seconds over which rates are taken: those of the moment, and calmer ones for an estimate. */
const RATE_SECONDS = 5;
const ESTIMATE_SECONDS = 60;

/** Takes figures as they come, one a second, and says what they mean. */
export class OutlookKeeper {
  readonly #cores: number;
  #lines: Figures[] = [];

  constructor(cores: number) {
    this.#cores = cores;
  }

  add(figures: Figures): Outlook {
    if (this.#lines.at(-1)?.run !== figures.run) this.#lines = [];
    this.#lines.push(figures);
    // The newest line outside the window stays: it is where the window begins.
    while (
      figures.runSeconds - (this.#lines[1]?.runSeconds ?? figures.runSeconds) >=
      ESTIMATE_SECONDS
    )
      this.#lines.shift();
    const recent = this.#lines.findLast(
      ({ runSeconds }) => figures.runSeconds - runSeconds >= RATE_SECONDS,
    );
    return {
      figures,
      limited: limitingFactor(figures, recent ?? this.#lines[0], this.#cores),
      left: timeLeft(figures, this.#lines[0]),
    };
  }
}

/** How much of its nearest limit a crawl has used, from 0 to 1; undefined without a limit. */
export function shareOfLimit({
  limits,
  pages,
  bytes,
  runSeconds,
}: Pick<Figures, "limits" | "pages" | "bytes" | "runSeconds">):
  | { readonly share: number; readonly limit: string }
  | undefined {
  const shares = [
    { used: pages, most: limits.pages, show: (most: number) => `--max-pages ${count(most)}` },
    { used: bytes, most: limits.bytes, show: (most: number) => `--max-size ${humanSize(most)}` },
    {
      used: runSeconds,
      most: limits.seconds,
      show: (most: number) => `--max-time ${humanDuration(1000 * most)}`,
    },
  ].flatMap(({ used, most, show }) =>
    most === null ? [] : { share: most === 0 ? 1 : Math.min(1, used / most), limit: show(most) },
  );
  return shares.sort((a, b) => b.share - a.share)[0];
}

/** A bar of so many columns: full where the share is reached. */
export function barOf(
  share: number,
  width: number,
  isUnicode: boolean,
): [full: string, empty: string] {
  const full = Math.floor(share * width);
  const [on, off] = isUnicode ? ["█", "░"] : ["#", "-"];
  return [on.repeat(full), off.repeat(width - full)];
}

/** The figures that are always there. */
export function figureFields(
  snapshot: CrawlProgress,
  perSecond: number,
  time: string,
  colours: Colours,
): Field[] {
  const { runs, thisRun } = snapshot;
  const inAll = (all: string) => (runs > 1 ? ` (${all} in all)` : "");
  const troubled = (amount: number, paint: Paint) => (amount > 0 ? paint : undefined);
  return [
    {
      text: counted(thisRun.pages, "page") + inAll(count(snapshot.pages)),
      paint: colours.bold,
    },
    { text: `${count(perSecond)} pages/s`, paint: colours.green },
    { text: `${count(snapshot.queued)} queued` },
    { text: `${count(snapshot.inFlight)} in flight` },
    {
      text: `${count(thisRun.failed)} failed${inAll(count(snapshot.failed))}`,
      paint: troubled(thisRun.failed, colours.red),
    },
    {
      text: `${count(thisRun.refused)} refused${inAll(count(snapshot.refused))}`,
      paint: troubled(thisRun.refused, colours.yellow),
    },
    { text: humanSize(thisRun.bytes) + inAll(humanSize(snapshot.bytes)) },
    { text: `${counted(snapshot.hostsWaiting, "host")} waiting` },
    { text: time },
    { text: `RSS ${Math.round(snapshot.rssBytes / 2 ** 20)} MiB`, paint: colours.dim },
  ];
}

/** What limits the crawl, its slowest host and its most frequent errors: a block each. */
export function outlookBlocks(
  { figures, limited }: Outlook,
  slowest: string | undefined,
  colours: Colours,
): Block[] {
  const errors = topErrors(figures.errors, 3).map(([code, times]) => `${code} ${count(times)}`);
  const isHeld = figures.state === "paused" || limited.factor === "disk";
  const limit = {
    text: `${figures.state === "running" ? "limited by " : ""}${printable(limited.text)}`,
    paint: isHeld ? colours.yellow : colours.cyan,
  };
  const places = figures.state === "running" && figures.places > 0;
  return [
    [limit, ...(places ? [{ text: placesText(figures), paint: colours.dim }] : [])],
    ...(slowest === undefined ? [] : [[{ text: `slowest host ${printable(slowest)}` }]]),
    ...(errors.length === 0 ? [] : [[{ text: `errors ${errors.join(", ")}`, paint: colours.red }]]),
  ];
}

/** How many requests may be in flight, which changes unless `--links-per-thread` fixes it. */
function placesText({ places }: Figures): string {
  return `up to ${count(places)} in flight`;
}

/** The time that is left, in words; nothing when nobody can say. */
export function leftText({ left }: Outlook): string | undefined {
  return left === undefined
    ? undefined
    : `about ${humanDuration(1000 * Math.ceil(left.seconds))} left`;
}

/** The host that will keep the crawl longest at its own pace, in words; undefined when nothing is queued for any. */
export function slowestOf(
  hosts: readonly {
    readonly name: string;
    readonly queued: number;
    readonly delayMs: number | null;
  }[],
): string | undefined {
  const waits = hosts.map(({ name, queued, delayMs }) => ({
    name,
    queued,
    ms: queued * (delayMs ?? 0),
  }));
  const slowest = waits
    .filter(({ queued }) => queued > 0)
    .sort((a, b) => b.ms - a.ms || b.queued - a.queued)[0];
  if (slowest === undefined) return undefined;
  const time = slowest.ms === 0 ? "" : `, at least ${humanDuration(slowest.ms)} at its delay`;
  return `${slowest.name}: ${counted(slowest.queued, "URL")} queued${time}`;
}

/** A line as it is painted, and how long it is without that. */
export interface Line {
  readonly length: number;
  readonly painted: string;
}

/** Lays blocks out in as few lines as the width allows; a field that is too long alone takes several lines. */
export function layOut(blocks: readonly Block[], width: number): Line[] {
  return blocks.flatMap((block) => {
    const lines: Line[] = [];
    for (const { text, paint = (text: string) => text } of block) {
      const [first, ...more] = broken(text, Math.max(1, width));
      const last = lines.at(-1);
      const length = (last?.length ?? 0) + 2 + first!.length;
      if (last !== undefined && length <= width)
        lines[lines.length - 1] = { length, painted: `${last.painted}  ${paint(first!)}` };
      else lines.push({ length: first!.length, painted: paint(first!) });
      for (const part of more) lines.push({ length: part.length, painted: paint(part) });
    }
    return lines;
  });
}

/** A text in parts that fit the width, broken at spaces; a word that is too long alone is cut. */
function broken(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word.length <= width ? word : `${word.slice(0, width - 1)}…`);
  }
  return lines;
}
