/** The techniques of synchronising one fixed-size frontier; the last two are kept to show what goes wrong. */
export const TECHNIQUES = [
  "lock-free",
  "semaphore",
  "monitor",
  "coarse",
  "fine",
  "optimistic",
  "pessimistic",
  "unsynchronised",
  "monitor-one-condition",
] as const;

/** A module with a lock of one's own, for the laboratory. */
export type OwnSyncModule = `${string}.mjs`;

/** Whether a value of `--sync` names a module instead of a technique. */
export function isOwnSync(sync: string): sync is OwnSyncModule {
  return sync.endsWith(".mjs");
}

/** What a thread does with a link that finds a shared frontier full. */
export const WHEN_FULL = ["spill", "wait", "overwrite"] as const;

/** The visited sets of a crawl on a shared frontier. */
export const VISITED_SETS = ["striped", "cas"] as const;

/** The frontier that the techniques belong to. */
export const SHARED_FRONTIER = "shared";
