/** What a thread can be about to do. The order matters: the Atomics calls come first, those of one word before the rest. */
export const KIND = {
  load: 0,
  store: 1,
  add: 2,
  sub: 3,
  and: 4,
  or: 5,
  xor: 6,
  exchange: 7,
  compareExchange: 8,
  wait: 9,
  notify: 10,
  waitAsync: 11,
  report: 12,
  invoke: 13,
  respond: 14,
  awaitEnd: 15,
  awaitRing: 16,
  read: 17,
  write: 18,
  finish: 19,
  fault: 20,
} as const;

/** Names of the kinds, for step logs. */
export const KIND_NAMES: readonly string[] = Object.keys(KIND);

/** Answers of Atomics.wait, as numbers. */
export const WAIT_ANSWERS = ["ok", "not-equal", "timed-out"] as const;
export const OK = 0;
export const NOT_EQUAL = 1;
export const TIMED_OUT = 2;

/** What Atomics.waitAsync answers. The scenario calls the callback itself, after `awaitRing`. */
export function asyncWait(async: boolean): { async: boolean; value: unknown } {
  return { async, value: async ? new Promise(() => {}) : "not-equal" };
}

/** One access to shared memory, or one call of the scenario, that a thread is about to make. */
export interface Operation {
  readonly kind: number;
  /** First byte of the access in the image of all shared buffers. */
  readonly byte: number;
  /** Bytes of the access; control words have 4 or 8. */
  readonly bytes: number;
  /** Operands: value, or expected and new value, or count, or the numbers handed to the scenario. */
  readonly a: number;
  readonly b: number;
  /** The same for 64-bit control words. */
  readonly wideA?: bigint;
  readonly wideB?: bigint;
  /** What a plain write stores. */
  readonly data?: Uint8Array;
  /** Turns the answer of the machine into what the code expects. */
  readonly decode?: (bytes: Uint8Array) => unknown;
  /** What the code calls the word. */
  readonly label?: string;
  /** The code does not look at the answer. */
  readonly unused?: boolean;
  /** What went wrong, for a thread that threw. */
  readonly message?: string;
}

/** Does this kind touch payload, without Atomics? */
export function isPlain(kind: number): boolean {
  return kind === KIND.read || kind === KIND.write;
}

/** Do two accesses touch the same payload, at least one of them writing? Then something must order them. */
export function conflict(
  a: Pick<Operation, "kind" | "byte" | "bytes">,
  b: Pick<Operation, "kind" | "byte" | "bytes">,
): boolean {
  if (!isPlain(a.kind) || !isPlain(b.kind)) return false;
  if (a.kind === KIND.read && b.kind === KIND.read) return false;
  return Math.max(a.byte, b.byte) < Math.min(a.byte + a.bytes, b.byte + b.bytes);
}
