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

/** The visited sets of a crawl on a shared frontier. */
export const VISITED_SETS = ["striped", "cas"] as const;
