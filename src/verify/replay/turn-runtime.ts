import { type AnyView, methodAccess } from "../fibers/views.ts";
import { Image } from "../memory.ts";
import { asyncWait, KIND } from "../operations.ts";
import * as T from "./turnstile.ts";

/** What one thread of a replay follows. */
export interface TurnOrders {
  readonly turnstile: Int32Array;
  /** Thread of each step; threads + thread is a kill. */
  readonly schedule: Int32Array;
  readonly buffers: SharedArrayBuffer[];
  readonly threads: number;
  readonly thread: number;
  /** Payload needs no turn of its own. */
  readonly eager: boolean;
  /** The threads run freely; the schedule is ignored. */
  readonly free: boolean;
}

/** Calls that are made as they stand once it is the thread's turn. */
type AtomicName = Exclude<
  keyof typeof KIND & keyof typeof Atomics,
  "wait" | "waitAsync" | "notify"
>;

/**
 * The `R` of the rewritten code in real threads: each access waits until the schedule gives this thread its turn.
 * Words are touched by the real Atomics; only the queue of sleepers is kept here, because no thread can see from
 * outside whether another one has really fallen asleep. Without a schedule the threads run freely.
 */
export class TurnRuntime {
  readonly #image: Image;
  readonly #orders: TurnOrders;
  readonly #turnstile: Int32Array;
  readonly #own: number;
  #holding = false;
  #listens: { w: Int32Array; i: number; v: number } | undefined;

  constructor(orders: TurnOrders) {
    this.#orders = orders;
    this.#turnstile = orders.turnstile;
    this.#own = T.wordsOf(orders.thread);
    this.#image = new Image(orders.buffers);
  }

  load = (w: Int32Array, i: number) => this.#atomic("load", w, i);
  store = (w: Int32Array, i: number, v: number) => this.#atomic("store", w, i, v);
  add = (w: Int32Array, i: number, v: number) => this.#atomic("add", w, i, v);
  sub = (w: Int32Array, i: number, v: number) => this.#atomic("sub", w, i, v);
  and = (w: Int32Array, i: number, v: number) => this.#atomic("and", w, i, v);
  or = (w: Int32Array, i: number, v: number) => this.#atomic("or", w, i, v);
  xor = (w: Int32Array, i: number, v: number) => this.#atomic("xor", w, i, v);
  exchange = (w: Int32Array, i: number, v: number) => this.#atomic("exchange", w, i, v);
  compareExchange = (w: Int32Array, i: number, v: number, n: number) =>
    this.#atomic("compareExchange", w, i, v, n);
  now = () => (this.#orders.free ? performance.now() : 0);

  wait(w: Int32Array, i: number, v: number, timeoutMs = Number.POSITIVE_INFINITY): string {
    if (this.#orders.free) return this.#waitFreely(w, i, v, timeoutMs);
    this.#turn(KIND.wait, w, i);
    if (Atomics.load(w, i) !== v) return "not-equal";
    const t = this.#turnstile;
    Atomics.store(t, this.#own + T.OWN.ticket, Atomics.add(t, T.WORD.tickets, 1));
    Atomics.store(t, this.#own + T.OWN.woken, 0);
    Atomics.store(t, this.#own + T.OWN.asleepOn, this.#address(w, i) + 1);
    this.#rest(T.REST.sleeping);
    this.#pass();
    while (Atomics.load(t, this.#own + T.OWN.woken) === 0)
      Atomics.wait(t, this.#own + T.OWN.woken, 0);
    const why = Atomics.exchange(t, this.#own + T.OWN.woken, 0);
    Atomics.store(t, this.#own + T.OWN.asleepOn, 0);
    if (why === T.WOKEN_BY.stop) throw new T.Stopped();
    if (why !== T.WOKEN_BY.notify) this.#wakeUp();
    this.#holding = why === T.WOKEN_BY.timeout;
    if (why === T.WOKEN_BY.kill) this.#die();
    return why === T.WOKEN_BY.notify ? "ok" : "timed-out";
  }

  notify(w: Int32Array, i: number, count = Number.POSITIVE_INFINITY): number {
    if (this.#orders.free) return Atomics.notify(w, i, count);
    this.#turn(KIND.notify, w, i);
    const t = this.#turnstile;
    const address = this.#address(w, i) + 1;
    let woken = 0;
    while (woken < count) {
      const first = T.firstAsleepOn(t, this.#orders.threads, address);
      if (first < 0) break;
      woken++;
      Atomics.store(t, T.wordsOf(first) + T.OWN.asleepOn, 0);
      // Counted as running before it runs, or the run might look finished.
      Atomics.store(t, T.wordsOf(first) + T.OWN.rest, T.REST.running);
      Atomics.sub(t, T.WORD.resting, 1);
      T.wake(t, first, T.WOKEN_BY.notify);
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

  /** The schedule gives this turn only after the ring; without a schedule the thread waits on the word itself. */
  awaitRing(): void {
    const { w, i, v } = this.#listens!;
    this.#listens = undefined;
    if (this.#orders.free) this.#waitFreely(w, i, v, Number.POSITIVE_INFINITY);
    else this.#turnFor(KIND.awaitRing, 0, 0);
  }

  report(value: number): void {
    const at = this.#own + T.OWN.reports;
    const count = Atomics.load(this.#turnstile, at);
    if (count < T.MAX_REPORTS)
      Atomics.store(this.#turnstile, this.#own + T.OWN.reportValues + count, value);
    Atomics.store(this.#turnstile, at, count + 1);
  }

  invoke = (what: number, argument: number) => this.#say(KIND.invoke, what, argument);
  respond = (result: number) => this.#say(KIND.respond, result, 0);

  awaitEnd(thread: number): void {
    if (!this.#orders.free) {
      this.#turnFor(KIND.awaitEnd, thread, 0);
      return;
    }
    const rest = T.wordsOf(thread) + T.OWN.rest;
    while (Atomics.load(this.#turnstile, rest) !== T.REST.ended) {
      Atomics.wait(this.#turnstile, rest, T.REST.running, T.FREE_SLICE_MS);
      if (Atomics.load(this.#turnstile, T.WORD.stop) === 1) throw new T.Stopped();
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
      this.#turnFor(KIND.read, this.#image.startOf(arg), arg.byteLength);
      return (arg as Uint8Array).slice();
    });
    if (name !== "subarray" && ArrayBuffer.isView(object) && this.#steps(object)) {
      const access = methodAccess(object, this.#image.startOf(object), name, inputs);
      this.#turnFor(access.kind, access.byte, access.bytes);
    }
    return (object as unknown as Record<string, (...a: unknown[]) => unknown>)[name]!.apply(
      object,
      inputs,
    );
  }

  /** The program of this thread has ended; the next thread may go on. */
  finish(how: number): void {
    this.#rest(how);
    if (!this.#orders.free && this.#holding) this.#pass();
  }

  /** Forgets the last run. */
  reset(): void {
    this.#holding = false;
    this.#listens = undefined;
  }

  #say(kind: number, a: number, b: number): void {
    this.#turnFor(kind, 0, 0);
    T.record(this.#turnstile, this.#orders.threads, this.#orders.thread, kind, a, b);
  }

  #waitFreely(w: Int32Array, i: number, v: number, timeoutMs: number): string {
    Atomics.add(this.#turnstile, this.#own + T.OWN.sleeps, 1);
    this.#rest(T.REST.sleeping);
    const ended = T.sleepUnlessStopped(this.#turnstile, this.#orders.thread, w, i, v, timeoutMs);
    this.#wakeUp();
    return ended;
  }

  #atomic(name: AtomicName, w: Int32Array, i: number, ...operands: number[]): number {
    this.#turn(KIND[name], w, i);
    return (Atomics[name] as (w: Int32Array, i: number, ...operands: number[]) => number)(
      w,
      i,
      ...operands,
    );
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
    return !this.#orders.free && !this.#orders.eager && this.#image.startOf(view) >= 0;
  }

  #turnFor(kind: number, byte: number, bytes: number): void {
    const t = this.#turnstile;
    if (this.#orders.free && Atomics.load(t, T.WORD.stop) === 1) throw new T.Stopped();
    if (this.#orders.free) return;
    if (this.#holding) this.#pass();
    for (;;) {
      const step = Atomics.load(t, T.WORD.step);
      if (Atomics.load(t, T.WORD.stop) === 1) throw new T.Stopped();
      if (step >= this.#orders.schedule.length) {
        Atomics.store(t, this.#own + T.OWN.nextKind, kind);
        Atomics.store(t, this.#own + T.OWN.nextByte, byte);
        Atomics.store(t, this.#own + T.OWN.nextBytes, bytes);
        throw new T.OutOfSteps();
      }
      if (this.#orders.schedule[step] === this.#orders.thread) break;
      if (this.#orders.schedule[step] === this.#orders.threads + this.#orders.thread) this.#die();
      Atomics.wait(t, T.WORD.step, step);
    }
    this.#holding = true;
  }

  /** Ends this thread's turn; a sleeper whose turn it is now is woken by its time-out or killed. */
  #pass(): void {
    const t = this.#turnstile;
    this.#holding = false;
    const next = this.#orders.schedule[Atomics.load(t, T.WORD.step) + 1];
    const sleeper = next === undefined ? -1 : next % this.#orders.threads;
    // Looked at before the step ends: afterwards the next thread may already have fallen asleep by itself.
    const asleep = sleeper >= 0 && Atomics.load(t, T.wordsOf(sleeper) + T.OWN.asleepOn) !== 0;
    Atomics.add(t, T.WORD.step, 1);
    Atomics.notify(t, T.WORD.step);
    if (!asleep) return;
    T.wake(t, sleeper, next! < this.#orders.threads ? T.WOKEN_BY.timeout : T.WOKEN_BY.kill);
  }

  #die(): never {
    this.#rest(T.REST.ended);
    this.#pass();
    throw new T.Stopped();
  }

  #rest(how: number): void {
    Atomics.store(this.#turnstile, this.#own + T.OWN.rest, how);
    Atomics.notify(this.#turnstile, this.#own + T.OWN.rest);
    Atomics.add(this.#turnstile, T.WORD.resting, 1);
    Atomics.notify(this.#turnstile, T.WORD.resting);
  }

  #wakeUp(): void {
    Atomics.store(this.#turnstile, this.#own + T.OWN.rest, T.REST.running);
    Atomics.sub(this.#turnstile, T.WORD.resting, 1);
  }

  #address(w: Int32Array, i: number): number {
    return this.#image.startOf(w) + i * w.BYTES_PER_ELEMENT;
  }
}
