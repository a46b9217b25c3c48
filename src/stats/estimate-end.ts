import type { Figures } from "./crawl-figures.ts";

/** When a crawl will end, as far as that can be said. */
export interface TimeLeft {
  readonly seconds: number;
  /** What the estimate goes by, in words. */
  readonly basis: string;
}

/** The nearest end of a running crawl: its limits, or its queue at the rate since `before`. Undefined when nothing moves. */
export function timeLeft(now: Figures, before: Figures | undefined): TimeLeft | undefined {
  if (now.state !== "running" || before === undefined || before.run !== now.run) return undefined;
  const passed = now.runSeconds - before.runSeconds;
  const ends: TimeLeft[] = [];
  const { limits } = now;
  if (limits.seconds !== null)
    ends.push({ seconds: Math.max(0, limits.seconds - now.runSeconds), basis: "--max-time" });
  if (passed > 0) {
    const over = `the rate of the last ${Math.round(passed)} s`;
    const add = (left: number, done: number, basis: string) => {
      if (done > 0) ends.push({ seconds: (Math.max(0, left) * passed) / done, basis });
    };
    if (limits.pages !== null)
      add(limits.pages - now.pages, now.pages - before.pages, `--max-pages at ${over}`);
    if (limits.bytes !== null)
      add(limits.bytes - now.bytes, now.bytes - before.bytes, `--max-size at ${over}`);
    const ended = endedBy(now) - endedBy(before);
    const found = now.known - before.known;
    const left = now.queued + now.inFlight;
    // A queue that grows says nothing about its end.
    if (found < ended) add(left, ended, `what is queued at ${over}, if nothing more is found`);
  }
  return ends.reduce<TimeLeft | undefined>(
    (first, end) => (first === undefined || end.seconds < first.seconds ? end : first),
    undefined,
  );
}

function endedBy(figures: Figures): number {
  const { pages, failed, refused, redirects, sitemaps, unchanged } = figures;
  return pages + failed + refused + redirects + sitemaps + unchanged;
}
