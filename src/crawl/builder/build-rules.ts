import type { CrawlConfig } from "../../config/schema.ts";
import type { HeldLease } from "../../store/folder/lease.ts";
import type { CrawlMemory } from "../shared-memory.ts";
import type { FromBuilder, RunningBuilder } from "./builder-message.ts";
import type { JournalSettings } from "./journal-writers.ts";

/** What a builder is given. */
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

/** Starts a builder in this thread; throws when its files cannot be opened. */
export type BuildHere = (
  rules: BuildRules,
  onMessage: (message: FromBuilder) => void,
) => RunningBuilder;
