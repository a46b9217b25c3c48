import { type AnyView, methodAccess } from "../fibers/views.ts";
import type { Image } from "../memory.ts";
import { asyncWait, KIND } from "../operations.ts";
import * as T from "./turnstile.ts";

/**
 * The `R` of the rewritten code in real threads: each access waits until the schedule gives this thread its turn.
 * Words are touched by the real Atomics; only the queue of sleepers is kept here, because no thread can see from
 * outside whether another one has really fallen asleep. Without a schedule the threads run freely.
 */
export class TurnRuntime {
  image: Image | undefined;
  readonly #turnstile: Int32Array;
  readonly #schedule: Int32Array;
  readonly #threads: number;
  readonly #me: number;
  readonly #own: number;
  readonly #eager: boolean;
  readonly #free: boolean;
  #holding = false;
  #listens: { w: Int32Array; i: number; v: number } | undefined;

  constructor(
    turnstile: Int32Array,
    schedule: Int32Array,
    threads: number,
    me: number,
    eager: boolean,
    free: boolean,
  ) {
    this.#turnstile = turnstile;
    this.#schedule = schedule;
    this.#threads = threads;
    this.#me = me;
    this.#own = T.wordsOf(me);
    this.#eager = eager;
    this.#free = free;
  }

  load(w: Int32Array, i: number): number {
    this.#turn(KIND.load, w, i);
    return Atomics.load(w, i);
  }

  store(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.store, w, i);
    return Atomics.store(w, i, v);
  }

  add(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.add, w, i);
    return Atomics.add(w, i, v);
  }

  sub(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.sub, w, i);
    return Atomics.sub(w, i, v);
  }

  and(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.and, w, i);
    return Atomics.and(w, i, v);
  }

  or(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.or, w, i);
    return Atomics.or(w, i, v);
  }

  xor(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.xor, w, i);
    return Atomics.xor(w, i, v);
  }

  exchange(w: Int32Array, i: number, v: number): number {
    this.#turn(KIND.exchange, w, i);
    return Atomics.exchange(w, i, v);
  }

  compareExchange(w: Int32Array, i: number, v: number, n: number): number {
    this.#turn(KIND.compareExchange, w, i);
    return Atomics.compareExchange(w, i, v, n);
  }

  now = () => (this.#free ? performance.now() : 0);

  wait(w: Int32Array, i: number, v: number, timeoutMs = Number.POSITIVE_INFINITY): string {
    if (this.#free) return this.#waitFreely(w, i, v, timeoutMs);
    this.#turn(KIND.wait, w, i);
    if (Atomics.load(w, i) !== v) return "not-equal";
    const t = this.#turnstile;
    Atomics.store(t, this.#own + T.TICKET, Atomics.add(t, T.TICKETS, 1));
    Atomics.store(t, this.#own + T.WOKEN, 0);
    Atomics.store(t, this.#own + T.ASLEEP_ON, this.#address(w, i) + 1);
    this.#rest(T.SLEEPING);
    this.#pass();
    while (Atomics.load(t, this.#own + T.WOKEN) === 0) Atomics.wait(t, this.#own + T.WOKEN, 0);
    const why = Atomics.exchange(t, this.#own + T.WOKEN, 0);
    Atomics.store(t, this.#own + T.ASLEEP_ON, 0);
    if (why === T.BY_STOP) throw new T.Stopped();
    if (why !== T.BY_NOTIFY) this.#wakeUp();
    this.#holding = why === T.BY_TIMEOUT;
    if (why === T.BY_KILL) this.#die();
    return why === T.BY_NOTIFY ? "ok" : "timed-out";
  }

  notify(w: Int32Array, i: number, count = Number.POSITIVE_INFINITY): number {
    if (this.#free) return Atomics.notify(w, i, count);
    this.#turn(KIND.notify, w, i);
    const t = this.#turnstile;
    const address = this.#address(w, i) + 1;
    let woken = 0;
    while (woken < count) {
      const first = T.firstAsleepOn(t, this.#threads, address);
      if (first < 0) break;
      woken++;
      Atomics.store(t, T.wordsOf(first) + T.ASLEEP_ON, 0);
      // Counted as running before it is, so that nobody takes the run for finished.
      Atomics.store(t, T.wordsOf(first) + T.REST, T.RUNNING);
      Atomics.sub(t, T.RESTING, 1);
      Atomics.store(t, T.wordsOf(first) + T.WOKEN, T.BY_NOTIFY);
      Atomics.notify(t, T.wordsOf(first) + T.WOKEN);
    }
    return woken;
  }

  waitAsync(w: Int32Array, i: number, v: number): unknown {
    this.#turn(KIND.waitAsync, w, i);
    const waits = Atomics.load(w, i) === v;
    if (waits && this.#listens) throw new Error("a second asynchronous wait at a time");
    if (waits) this.#listens = { w, i, v };
    return asyncWait(waits);
  }

  /** The schedule gives this turn only after the ring; without a schedule the word itself tells. */
  awaitRing(): void {
    const { w, i, v } = this.#listens!;
    this.#listens = undefined;
    if (this.#free) this.#waitFreely(w, i, v, Number.POSITIVE_INFINITY);
    else this.#turnFor(KIND.awaitRing, 0, 0);
  }

  report(value: number): void {
    const at = this.#own + T.REPORTS;
    const count = Atomics.load(this.#turnstile, at);
    if (count < T.MAX_REPORTS)
      Atomics.store(this.#turnstile, this.#own + T.REPORT_VALUES + count, value);
    Atomics.store(this.#turnstile, at, count + 1);
  }

  invoke = (what: number, argument: number) => this.#say(KIND.invoke, what, argument);
  respond = (result: number) => this.#say(KIND.respond, result, 0);

  awaitEnd(thread: number): void {
    if (!this.#free) {
      this.#turnFor(KIND.awaitEnd, thread, 0);
      return;
    }
    const rest = T.wordsOf(thread) + T.REST;
    while (Atomics.load(this.#turnstile, rest) !== T.ENDED) {
      Atomics.wait(this.#turnstile, rest, T.RUNNING, T.FREE_SLICE_MS);
      if (Atomics.load(this.#turnstile, T.STOP) === 1) throw new T.Stopped();
    }
  }

  get(object: AnyView | Record<number, unknown>, index: number): unknown {
    this.#plainTurn(KIND.read, object, index);
    return (object as Record<number, unknown>)[index];
  }

  put(object: AnyView | Record<number, unknown>, index: number, value: unknown): unknown {
    this.#plainTurn(KIND.write, object, index);
    (object as Record<number, unknown>)[index] = value;
    return value;
  }

  update(object: Int32Array, index: number, operator: string, by: number, old: boolean): number {
    const before = this.get(object, index) as number;
    const after = operator === "+=" ? before + by : before - by;
    this.put(object, index, after);
    return old ? before : after;
  }

  method(object: AnyView, name: string, ...args: unknown[]): unknown {
    const inputs = args.map((arg) => {
      if (!ArrayBuffer.isView(arg) || !this.#steps(arg)) return arg;
      this.#turnFor(KIND.read, this.image!.startOf(arg), arg.byteLength);
      return (arg as Uint8Array).slice();
    });
    if (name !== "subarray" && ArrayBuffer.isView(object) && this.#steps(object)) {
      const access = methodAccess(object, this.image!.startOf(object), name, inputs);
      this.#turnFor(access.kind, access.byte, access.bytes);
    }
    return (object as unknown as Record<string, (...a: unknown[]) => unknown>)[name]!.apply(
      object,
      inputs,
    );
  }

  /** The program of this thread has ended; whoever comes next may go on. */
  finish(how: number): void {
    this.#rest(how);
    if (!this.#free && this.#holding) this.#pass();
  }

  /** Forgets the last run. */
  reset(): void {
    this.#holding = false;
    this.#listens = undefined;
  }

  #say(kind: number, a: number, b: number): void {
    this.#turnFor(kind, 0, 0);
    T.record(this.#turnstile, this.#threads, this.#me, kind, a, b);
  }

  #waitFreely(w: Int32Array, i: number, v: number, timeoutMs: number): string {
    this.#rest(T.SLEEPING);
    const ended = T.sleepUnlessStopped(this.#turnstile, w, i, v, timeoutMs);
    this.#wakeUp();
    return ended;
  }

  #turn(kind: number, view: AnyView, index: number): void {
    this.#turnFor(kind, this.#address(view as Int32Array, index), 4);
  }

  #plainTurn(kind: number, object: unknown, index: number): void {
    if (!ArrayBuffer.isView(object) || !this.#steps(object)) return;
    const view = object as Int32Array;
    this.#turnFor(kind, this.#address(view, index), view.BYTES_PER_ELEMENT);
  }

  #steps(view: ArrayBufferView): boolean {
    return !this.#free && !this.#eager && this.image!.startOf(view) >= 0;
  }

  #turnFor(kind: number, byte: number, bytes: number): void {
    const t = this.#turnstile;
    if (this.#free && Atomics.load(t, T.STOP) === 1) throw new T.Stopped();
    if (this.#free) return;
    if (this.#holding) this.#pass();
    for (;;) {
      const step = Atomics.load(t, T.STEP);
      if (Atomics.load(t, T.STOP) === 1) throw new T.Stopped();
      if (step >= this.#schedule.length) {
        Atomics.store(t, this.#own + T.NEXT_KIND, kind);
        Atomics.store(t, this.#own + T.NEXT_BYTE, byte);
        Atomics.store(t, this.#own + T.NEXT_BYTES, bytes);
        throw new T.OutOfSteps();
      }
      if (this.#schedule[step] === this.#me) break;
      if (this.#schedule[step] === this.#threads + this.#me) this.#die();
      Atomics.wait(t, T.STEP, step);
    }
    this.#holding = true;
  }

  /** Ends this thread's turn; a sleeper whose turn it is now is woken by its time-out or killed. */
  #pass(): void {
    const t = this.#turnstile;
    this.#holding = false;
    const next = this.#schedule[Atomics.load(t, T.STEP) + 1];
    const sleeper = next === undefined ? -1 : next % this.#threads;
    // Looked at before the step ends: afterwards the next thread may already have fallen asleep by itself.
    const asleep = sleeper >= 0 && Atomics.load(t, T.wordsOf(sleeper) + T.ASLEEP_ON) !== 0;
    Atomics.add(t, T.STEP, 1);
    Atomics.notify(t, T.STEP);
    if (!asleep) return;
    Atomics.store(
      t,
      T.wordsOf(sleeper) + T.WOKEN,
      next! < this.#threads ? T.BY_TIMEOUT : T.BY_KILL,
    );
    Atomics.notify(t, T.wordsOf(sleeper) + T.WOKEN);
  }

  #die(): never {
    this.#rest(T.ENDED);
    this.#pass();
    throw new T.Stopped();
  }

  #rest(how: number): void {
    Atomics.store(this.#turnstile, this.#own + T.REST, how);
    Atomics.notify(this.#turnstile, this.#own + T.REST);
    Atomics.add(this.#turnstile, T.RESTING, 1);
    Atomics.notify(this.#turnstile, T.RESTING);
  }

  #wakeUp(): void {
    Atomics.store(this.#turnstile, this.#own + T.REST, T.RUNNING);
    Atomics.sub(this.#turnstile, T.RESTING, 1);
  }

  #address(w: Int32Array, i: number): number {
    return this.image!.startOf(w) + i * w.BYTES_PER_ELEMENT;
  }
}
