/**
 * What a frontier keeps of hosts for whoever visits them next, perhaps on another machine: bytes by name. Absent where a host
 * is always visited by the same thread, or by one that shares its memory.
 */
export interface HostMemory {
  /** How far the wall clock that all holders share is ahead of this thread's monotonic one. */
  readonly aheadMs: number;
  /** Calls back with what was kept; not before the keeper answers, which may take long when it is away. */
  recall(hostname: string, name: string, onAnswer: (bytes: Uint8Array | undefined) => void): void;
  keep(hostname: string, name: string, bytes: Uint8Array): void;
}
