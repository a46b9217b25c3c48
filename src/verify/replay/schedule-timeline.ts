import { type Span, timelinePlot } from "../../stats/plot/timeline-plot.ts";
import type { Replay } from "./replay-schedule.ts";

const RUNS = "runs";
const HOLDS = "holds the lock";
const SLEEPS = "sleeps";

/** A replayed schedule as a picture: who runs, who holds the lock, who waits, step by step. */
export function scheduleTimeline(schedule: string, replay: Replay): string {
  const { steps, violation, threads } = replay;
  const end = steps.length;
  const rows = Array.from({ length: threads }, (_, thread) => ({
    name: `thread ${thread}`,
    spans: [...sleepsOf(replay, thread), ...actsOf(replay, thread)],
  }));
  return timelinePlot({
    title: `Who holds and who waits: ${schedule.split(":")[0]}`,
    caption: `${end} steps, one thread at a time. ${violation === undefined ? "Nothing is wrong at the end." : `At the end: ${violation}.`}`,
    x: { label: "step" },
    kinds: [RUNS, HOLDS, SLEEPS],
    rows,
  });
}

function sleepsOf({ steps }: Replay, thread: number): Span[] {
  const spans: Span[] = [];
  let from: number | undefined;
  for (const [i, step] of steps.entries()) {
    const sleeps = step.asleep.includes(thread);
    if (sleeps && from === undefined) from = i + 1;
    if (!sleeps && from !== undefined) {
      spans.push({ from, to: i + 1, kind: SLEEPS });
      from = undefined;
    }
  }
  if (from !== undefined) spans.push({ from, to: Math.max(from + 1, steps.length), kind: SLEEPS });
  return spans;
}

function actsOf({ steps }: Replay, thread: number): Span[] {
  return steps.flatMap((step, i) => {
    if (step.holder === thread) return [{ from: i, to: i + 1, kind: HOLDS }];
    return step.thread === thread ? [{ from: i, to: i + 1, kind: RUNS }] : [];
  });
}
