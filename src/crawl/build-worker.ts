import { parentPort, workerData } from "node:worker_threads";
import { Builder, type BuilderOptions } from "../store/builder.ts";
import type { Capture } from "../store/capture.ts";
import { BytePipe } from "../sync/byte-pipe.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { FRAMES, type Frame } from "./frames.ts";
import { FrameReader } from "./hand-off.ts";
import type { OutcomeLine } from "./outcome-line.ts";
import { bellsOf, Control, type CrawlMemory } from "./shared-memory.ts";

/** What a builder thread is given. */
export interface BuildRules {
  readonly builder: number;
  readonly builders: number;
  readonly memory: CrawlMemory;
  readonly options: BuilderOptions;
}

/** Frames stored before the crawlers are told: fewer wake-ups, and nobody waits long. */
const BATCH = 64;
const SLEEP_MS = 1000;

const { builder: me, builders, memory, options } = workerData as BuildRules;
const control = new Control(memory);
const bells = bellsOf(memory);
const bell = bells[memory.threads + me]!;
const stored = new Int32Array(memory.stored);
const builder = new Builder(options);
const crawlers = memory.pipes
  .map((pipe, thread) => ({ thread, frames: new FrameReader(new BytePipe(pipe)) }))
  .filter(({ thread }) => thread % builders === me);

for (;;) {
  const mayEnd = control.buildersMayEnd;
  let worked = false;
  for (const { thread, frames } of crawlers) {
    const count = storeSome(frames);
    // Also a part of a large frame makes room that its crawler may be waiting for.
    if (frames.roomMade() === 0) continue;
    worked = true;
    if (count > 0) {
      builder.flush();
      Atomics.add(stored, thread, count);
    }
    bells[thread]!.ring();
  }
  if (worked) continue;
  // Read before the look at the pipes: what came later than the permission to end cannot exist.
  if (mayEnd) break;
  const armed = bell.arm();
  if (crawlers.some(({ frames }) => !frames.empty) || control.buildersMayEnd) bell.disarm();
  else bell.sleep(armed, SLEEP_MS);
}
builder.close();
parentPort!.close();

function storeSome(frames: FrameReader): number {
  let count = 0;
  while (count < BATCH) {
    const frame = frames.next();
    if (frame === undefined) break;
    storeFrame(frame);
    count++;
  }
  return count;
}

function storeFrame({ kind, parts }: Frame): void {
  const text = parts[0]!.toString("utf8");
  if (kind === FRAMES.outcome) builder.outcome(text);
  else if (kind === FRAMES.skipped) {
    for (const line of text.split("\n")) builder.skipped(JSON.parse(line));
  } else storeCapture(text, parts);
}

/** What the log's line does not say; travels as JSON, too. */
type CaptureFacts = Pick<
  Capture,
  "ip" | "date" | "dechunked" | "truncated" | "page" | "unverified" | "unchanged"
>;

function storeCapture(text: string, parts: readonly Buffer[]): void {
  const line: OutcomeLine = JSON.parse(text);
  const facts: CaptureFacts = JSON.parse(parts[1]!.toString("utf8"));
  const outlinks = parts[2]!.length === 0 ? [] : parts[2]!.toString("latin1").split("\n");
  const capture: Capture = {
    ...facts,
    url: line.url as CrawlUrl,
    status: line.status!,
    mime: line.mime!,
    depth: line.depth,
    via: line.via as NonNullable<Capture["via"]>,
    ...(line.parent === undefined ? {} : { parent: line.parent as CrawlUrl }),
    outlinks: outlinks as CrawlUrl[],
    request: parts[3]!,
    head: parts[4]!,
    body: parts[5]!,
  };
  const { file, offset } = builder.page(capture);
  builder.outcome(`${text.slice(0, -1)},"file":${JSON.stringify(file)},"offset":${offset}}`);
}
