import type { CrawlConfig } from "../../config/schema.ts";
import type { HeldLease } from "../../store/folder/lease.ts";
import type { CrawlMemory } from "../shared-memory.ts";
import type { BuilderLegacy } from "./builder-message.ts";
import type { JournalSettings } from "./journal-writers.ts";

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
  /** It shares the thread of its crawler. */
  readonly isJoined: boolean;
  /** Of the builder that this one takes over from. */
  readonly legacy?: BuilderLegacy | undefined;
  /** By which the folder is this process's. */
  readonly lease: HeldLease;
}
