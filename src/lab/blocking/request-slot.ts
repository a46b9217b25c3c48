import type { Doorbell } from "../../sync/doorbell.ts";

/*
 * One synchronous request per thread: the thread writes a URL, rings the I/O thread and sleeps on STATE until the answer
 * lies in the same slot. Whoever STATE names owns the rest of the slot.
 */
const STATE = 0;
const STATUS = 1;
const URL_LENGTH = 2;
const BODY_LENGTH = 3;
const WORDS = 4;

const IDLE = 0;
const POSTED = 1;
const ASKED = 2;
const ANSWERED = 3;

const URL_BYTES = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The answer to a request. */
export interface SlotAnswer {
  /** The HTTP status; 0 when there was no answer, or robots.txt or the address rules refused to ask. */
  readonly status: number;
  /** The decoded body, cut to what a slot holds; of a redirect, its target. Valid until the next request. */
  readonly body: Uint8Array;
}

/** Bytes of shared memory for the slots of that many threads. */
export function slotsBytes(threads: number, bodyBytes: number): number {
  return threads * (WORDS * 4 + URL_BYTES + bodyBytes);
}

/** The request of one thread, as that thread and as the I/O thread see it. */
export class RequestSlot {
  readonly #words: Int32Array;
  readonly #url: Uint8Array;
  readonly #body: Uint8Array;

  constructor(memory: SharedArrayBuffer, thread: number, bodyBytes: number) {
    const at = thread * (WORDS * 4 + URL_BYTES + bodyBytes);
    this.#words = new Int32Array(memory, at, WORDS);
    this.#url = new Uint8Array(memory, at + WORDS * 4, URL_BYTES);
    this.#body = new Uint8Array(memory, at + WORDS * 4 + URL_BYTES, bodyBytes);
  }

  /** Posts a request and sleeps until it is answered. */
  ask(url: string, io: Doorbell): SlotAnswer {
    Atomics.store(this.#words, URL_LENGTH, encoder.encodeInto(url, this.#url).written);
    Atomics.store(this.#words, STATE, POSTED);
    io.ring();
    for (;;) {
      const state = Atomics.load(this.#words, STATE);
      if (state === ANSWERED) break;
      Atomics.wait(this.#words, STATE, state);
    }
    Atomics.store(this.#words, STATE, IDLE);
    const length = Atomics.load(this.#words, BODY_LENGTH);
    return { status: Atomics.load(this.#words, STATUS), body: this.#body.subarray(0, length) };
  }

  /** For the I/O thread: the URL of a request that nobody has begun with. */
  begin(): string | undefined {
    if (Atomics.compareExchange(this.#words, STATE, POSTED, ASKED) !== POSTED) return undefined;
    const url = new Uint8Array(Atomics.load(this.#words, URL_LENGTH));
    url.set(this.#url.subarray(0, url.length));
    return decoder.decode(url);
  }

  /** For the I/O thread: whether a request waits to be begun. */
  isPosted(): boolean {
    return Atomics.load(this.#words, STATE) === POSTED;
  }

  /** For the I/O thread: gives the answer and wakes the thread. */
  answer(status: number, body: Uint8Array): void {
    const kept = body.subarray(0, this.#body.length);
    this.#body.set(kept);
    Atomics.store(this.#words, STATUS, status);
    Atomics.store(this.#words, BODY_LENGTH, kept.length);
    Atomics.store(this.#words, STATE, ANSWERED);
    Atomics.notify(this.#words, STATE, 1);
  }
}
