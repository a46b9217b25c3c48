import { frontierTraits } from "../../frontier/frontier-memory.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import type { DoFileWork } from "../../runtime/file-work.ts";
import { Builder } from "../../store/builder.ts";
import { type HeldLease, LeaseWatch } from "../../store/folder/lease.ts";
import type { Writer } from "../../store/writer.ts";
import { BufferPlan } from "../buffer-plan.ts";
import { openBuffer } from "../open-buffer.ts";
import { bellsOf } from "../shared-memory.ts";
import type { BuildRules } from "./build-rules.ts";
import { BuilderLoop, type BuilderParts } from "./builder-loop.ts";
import { JournalWriters, journalFiles } from "./journal-writers.ts";

/** How often a builder looks whether the folder is still this process's, beside every commit. */
const WATCH_MS = 50;
/** Where others would fetch again what a dead worker had not settled, commits wait no longer than this. */
const MAX_UNSETTLED_MS = 25;

/** Looks whether the folder is still this process's. */
export class FolderWatch {
  readonly #lease: LeaseWatch;
  #lookedMs = 0;

  constructor(lease: HeldLease) {
    this.#lease = new LeaseWatch(lease);
  }

  /** Now and then: a process that was stopped for long must not add to archives that another one has closed. */
  look(): void {
    const nowMs = monotonicMs();
    if (nowMs - this.#lookedMs <= WATCH_MS) return;
    this.check();
    this.#lookedMs = nowMs;
  }

  check(): void {
    this.#lease.check();
  }
}

/** What differs between a builder thread and a builder in a thread that has something else to do. */
export interface BuilderPlace
  extends Pick<
    BuilderParts,
    "patience" | "writer" | "framesPerTurn" | "maxTurnMs" | "post" | "committed"
  > {
  readonly watch: FolderWatch;
  /** How work with files is done; before it returns unless told otherwise. */
  readonly doWork?: DoFileWork;
}

/** Everything that a builder writes. */
export function openWriter(rules: BuildRules, doWork?: DoFileWork): Writer {
  const { builder, config, out, treeLocks } = rules;
  return new Builder({ folder: out, thread: builder, config, treeLocks, doWork });
}

/** The loop of a builder. */
export function openBuilder(rules: BuildRules, place: BuilderPlace): BuilderLoop {
  const { builder, config, memory, journals } = rules;
  const { watch, doWork, ...parts } = place;
  const plan = new BufferPlan(config);
  return new BuilderLoop({
    ...parts,
    buffers: plan.buffersOf(builder).map((number) => ({
      buffer: openBuffer(memory, config, number),
      crawlers: plan.crawlersOf(number),
    })),
    memory,
    stored: new Int32Array(memory.stored),
    taken: new Int32Array(memory.taken),
    bells: bellsOf(memory).crawlers,
    journals: journals && new JournalWriters(journalFiles(journals, doWork)),
    mayCommit: () => watch.check(),
    handOff: config.handOff,
    syncEveryMs: frontierTraits(config).isElsewhere
      ? Math.min(config.syncEveryMs, MAX_UNSETTLED_MS)
      : config.syncEveryMs,
    nowMs: monotonicMs,
  });
}
