import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { CrawlConfig } from "../../config/schema.ts";
import { frontierTraits } from "../../frontier/frontier-memory.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { Builder } from "../../store/builder.ts";
import { type HeldLease, LeaseWatch } from "../../store/folder/lease.ts";
import { BufferPlan } from "../buffer-plan.ts";
import { openBuffer } from "../open-buffer.ts";
import { bellsOf, Control, type CrawlMemory } from "../shared-memory.ts";
import { BuilderLoop } from "./builder-loop.ts";
import type { ToBuilder } from "./builder-message.ts";
import { DiskPatience } from "./disk-patience.ts";
import { type JournalSettings, JournalWriters, journalFiles } from "./journal-writers.ts";

/** What a builder thread is given. */
export interface BuildRules {
  readonly builder: number;
  readonly config: CrawlConfig;
  readonly memory: CrawlMemory;
  /** The crawl's output folder. */
  readonly out: string;
  readonly treeLocks: SharedArrayBuffer;
  /** Undefined for a frontier that keeps no journal. */
  readonly journals: JournalSettings | undefined;
  /** By which the folder is this process's. */
  readonly lease: HeldLease;
}

/** Frames read of a crawler at a time, unless the buffer is handed over as a whole. */
const FRAMES_PER_TURN = 64;
/** How often a builder looks whether the folder is still this process's, beside every commit. */
const WATCH_MS = 50;
/** Where others would fetch again what a dead worker had not settled, commits wait no longer than this. */
const MAX_UNSETTLED_MS = 25;

const { builder: me, config, memory, out, treeLocks, journals, lease } = workerData as BuildRules;
const watch = new LeaseWatch(lease);
let watchedMs = 0;
const port = parentPort!;
const control = new Control(memory);
const bells = bellsOf(memory);
const bell = bells.builders[me]!;
const plan = new BufferPlan(config);
const patience = new DiskPatience(control, bell, (message) => port.postMessage(message));
const loop = new BuilderLoop({
  buffers: plan.buffersOf(me).map((number) => ({
    buffer: openBuffer(memory, config, number),
    crawlers: plan.crawlersOf(number),
  })),
  memory,
  stored: new Int32Array(memory.stored),
  taken: new Int32Array(memory.taken),
  bells: bells.crawlers,
  writer: patience.repeat(() => new Builder({ folder: out, thread: me, config, treeLocks })),
  journals: journals && new JournalWriters(journalFiles(journals)),
  mayCommit: () => watch.check(),
  patience,
  handOff: config.handOff,
  framesPerTurn: config.handOff === "full" ? config.bufferSize : FRAMES_PER_TURN,
  syncEveryMs: frontierTraits(config).isElsewhere
    ? Math.min(config.syncEveryMs, MAX_UNSETTLED_MS)
    : config.syncEveryMs,
  nowMs: monotonicMs,
  post: (message) => port.postMessage(message),
  committed: run,
});
let isRunning = false;
let isClosing = false;

run();

/** Builds until no crawler writes any more, or until a writer answers later: then the end of the commit calls this again. */
function run(): void {
  if (isRunning) return;
  isRunning = true;
  try {
    while (!loop.isCommitting && !isClosing) step();
  } catch (fault) {
    patience.outlast(fault, out);
    throw fault;
  }
  isRunning = false;
}

/** Does what there is to do, or sleeps until there is something. */
function step(): void {
  // Both are read before the buffers are: what came later than the permission to end cannot exist.
  const { buildersMayEnd, notes } = control;
  const note = receiveMessageOnPort(port);
  if (note !== undefined) {
    loop.crawlerDied((note.message as ToBuilder).thread);
    return;
  }
  // A process that was stopped for long must not add to archives that another one has closed.
  const nowMs = monotonicMs();
  if (nowMs - watchedMs > WATCH_MS) {
    watch.check();
    watchedMs = nowMs;
  }
  if (loop.turn(buildersMayEnd)) return;
  if (buildersMayEnd) {
    isClosing = true;
    loop.close(() => port.close());
    return;
  }
  const armed = bell.arm();
  const restMs = loop.restMs();
  if (restMs === 0 || control.notes !== notes || control.buildersMayEnd) bell.disarm();
  else bell.sleep(armed, restMs);
}
