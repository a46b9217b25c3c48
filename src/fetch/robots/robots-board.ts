import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { AnswerTable, answerTableBytes, type Look } from "../../sync/answer-table.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
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

/** Where a file leads, until it is to be asked for again. */
export interface Lead {
  readonly next: CrawlUrl;
  readonly expiresAtMs: number;
}

/** When to look again for an answer that somebody else has been asking for since then. */
export function lookAgainMs(sinceMs: number, nowMs: number): number {
  return nowMs + Math.min(Math.max((nowMs - sinceMs) / 2, MIN_LOOK_MS), MAX_LOOK_MS);
}

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
    return look?.kind === "answered" ? this.#read(decodeNote(look.bytes)) : undefined;
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
      if (nowMs < sinceMs + this.#rules.claimMs) return lookAgainMs(sinceMs, nowMs);
    }
    if (look.kind === "answered") {
      const note = decodeNote(look.bytes);
      // Whoever comes follows it: the file that it leads to is asked for by one.
      if (note.kind === "leads" && nowMs < note.expiresAtMs) return 0;
      // It is here by now.
      if (this.#counts(note, nowMs)) return nowMs;
    }
    return this.#table.tryClaim(slot, look, nowMs) ? 0 : nowMs + MIN_LOOK_MS;
  }

  /** This thread goes on asking at that time. */
  goesOn(key: string, atMs: number): void {
    const slot = this.#slotOf(key);
    const look = slot < 0 ? undefined : this.#table.look(slot);
    if (look?.kind === "asking" && !this.#isOthers(look)) this.#table.tryClaim(slot, look, atMs);
  }

  /** This thread does not ask after all. */
  release(key: string): void {
    const slot = this.#slotOf(key);
    const look = slot < 0 ? undefined : this.#table.look(slot);
    if (look?.kind === "asking" && !this.#isOthers(look)) this.#table.tryRelease(slot, look);
  }

  /** Where a file leads that some thread has asked for. */
  leadOf(key: string): Lead | undefined {
    const slot = this.#slotOf(key);
    const look = slot < 0 ? undefined : this.#table.look(slot);
    const note = look?.kind === "answered" ? decodeNote(look.bytes) : undefined;
    if (note?.kind !== "leads") return undefined;
    return { next: note.url, expiresAtMs: note.expiresAtMs };
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

  #counts(note: RobotsNote, nowMs: number): boolean {
    const known = this.#read(note);
    return known !== undefined && holds(known, nowMs);
  }

  #read(note: RobotsNote, hops = 0): NotedRobots | undefined {
    if (note.kind === "leads") return undefined;
    if (note.kind !== "same") return noted(note, this.#rules.agent);
    const slot = hops < ROBOTS_MAX_REDIRECTS ? this.#slotOf(note.key) : -1;
    const look = slot < 0 ? undefined : this.#table.look(slot);
    return look?.kind === "answered" ? this.#read(decodeNote(look.bytes), hops + 1) : undefined;
  }
}

/** A thread is dead: what it was asking for may be asked for by others. */
export function reclaimRobots(memory: SharedArrayBuffer, thread: number): void {
  new AnswerTable(memory, SLOTS, thread + 1).reclaim(thread + 1);
}
