import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { AnswerTable, answerTableBytes, type Look } from "../../sync/answer-table.ts";
import { ROBOTS_MAX_REDIRECTS } from "./robots-cache.ts";
import {
  decodeNote,
  encodeNote,
  holds,
  type NotedRobots,
  noted,
  type RobotsNote,
} from "./robots-note.ts";

/** Origins and bytes of all their files; beyond that every thread asks for itself. Memory that is not touched costs nothing. */
const SLOTS = 1 << 17;
const FILE_BYTES = 32 * 1024 * 1024;

/** Who waits for another thread's answer looks again after half the time that this one has been asking, within these bounds. */
const MIN_LOOK_MS = 10;
const MAX_LOOK_MS = 500;

/** Settings of a board. */
export interface RobotsBoardRules {
  readonly memory: SharedArrayBuffer;
  readonly thread: number;
  readonly agent: string;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** A thread that has been asking for so long does so no more. */
  readonly claimMs: number;
}

/** Bytes of shared memory for a board. */
export function robotsBoardBytes(): number {
  return answerTableBytes(SLOTS, FILE_BYTES);
}

/**
 * What the threads of a crawl know about robots.txt where hosts have no owner: one of them asks an origin, the others
 * wait, in no place in flight, and read the file from here.
 */
export class RobotsBoard {
  readonly #rules: RobotsBoardRules;
  readonly #table: AnswerTable;

  constructor(rules: RobotsBoardRules) {
    this.#rules = rules;
    this.#table = new AnswerTable(rules.memory, SLOTS, rules.thread + 1);
  }

  /** What a thread has found out, also when it is time to ask again. */
  find(key: string): NotedRobots | undefined {
    const slot = this.#slotOf(key);
    const look = slot < 0 ? undefined : this.#table.look(slot);
    return look?.kind === "answered" ? this.#read(look.bytes) : undefined;
  }

  /** 0 when this thread is to ask now, otherwise when to look again. */
  untilTurn(key: string, nowMs: number): number {
    const slot = this.#slotOf(key);
    if (slot < 0) return 0;
    const look = this.#table.look(slot);
    if (look.kind === "unshared") return 0;
    if (look.kind === "asking" && this.#isOthers(look)) {
      const { sinceMs } = look;
      if (nowMs < sinceMs) return sinceMs + MIN_LOOK_MS;
      if (nowMs < sinceMs + this.#rules.claimMs)
        return nowMs + Math.min(Math.max((nowMs - sinceMs) / 2, MIN_LOOK_MS), MAX_LOOK_MS);
    }
    // It is here by now.
    if (look.kind === "answered" && this.#counts(look.bytes, nowMs)) return nowMs;
    return this.#table.tryClaim(slot, look, nowMs) ? 0 : nowMs + MIN_LOOK_MS;
  }

  /** This thread goes on asking at that time. */
  goesOn(key: string, atMs: number): void {
    const slot = this.#slotOf(key);
    const look = slot < 0 ? undefined : this.#table.look(slot);
    if (look?.kind === "asking" && !this.#isOthers(look)) this.#table.tryClaim(slot, look, atMs);
  }

  /** Tells all threads. */
  note(key: string, note: RobotsNote): void {
    const slot = this.#slotOf(key);
    if (slot >= 0) this.#table.answer(slot, encodeNote(note));
  }

  #slotOf(key: string): number {
    fingerprint(key, this.#rules.seedLow, this.#rules.seedHigh);
    return this.#table.slotOf(lastFingerprint.low, lastFingerprint.high);
  }

  #isOthers({ owner }: Look & { kind: "asking" }): boolean {
    return owner !== this.#rules.thread + 1;
  }

  #counts(bytes: Uint8Array<ArrayBuffer>, nowMs: number): boolean {
    const known = this.#read(bytes);
    return known !== undefined && holds(known, nowMs);
  }

  #read(bytes: Uint8Array<ArrayBuffer>, hops = 0): NotedRobots | undefined {
    const note = decodeNote(bytes);
    if (note.kind !== "same") return noted(note, this.#rules.agent);
    const slot = hops < ROBOTS_MAX_REDIRECTS ? this.#slotOf(note.key) : -1;
    const look = slot < 0 ? undefined : this.#table.look(slot);
    return look?.kind === "answered" ? this.#read(look.bytes, hops + 1) : undefined;
  }
}
