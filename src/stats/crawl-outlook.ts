import type { Figures } from "./crawl-figures.ts";
import { type TimeLeft, timeLeft } from "./estimate-end.ts";
import { type Limited, limitingFactor } from "./limiting-factor.ts";
import { pointBetween, type SeriesPoint } from "./series-points.ts";

/** How a crawl goes: rates of the last seconds, what limits it, and when it will end. */
export interface Outlook {
  readonly limitedBy: Limited;
  readonly timeLeft: TimeLeft | undefined;
  readonly point: SeriesPoint;
}

/** Rates are those of about so long. */
const RATE_SECONDS = 5;
/** Estimates need longer to be calm. */
const ESTIMATE_SECONDS = 60;

/** What a series says about its last moment. */
export function outlookOf(lines: readonly Figures[], cores: number): Outlook | undefined {
  const now = lines.at(-1);
  if (now === undefined) return undefined;
  const recent = lineBefore(lines, now, RATE_SECONDS);
  return {
    limitedBy: limitingFactor(now, recent, cores),
    timeLeft: timeLeft(now, lineBefore(lines, now, ESTIMATE_SECONDS)),
    point: pointBetween(recent, now),
  };
}

/** The newest line of the same run that is so old, else the oldest of the run. */
function lineBefore(lines: readonly Figures[], now: Figures, seconds: number): Figures | undefined {
  let found: Figures | undefined;
  for (let i = lines.length - 2; i >= 0; i--) {
    const line = lines[i]!;
    if (line.run !== now.run) break;
    found = line;
    if (now.runSeconds - line.runSeconds >= seconds) break;
  }
  return found;
}
