import type { Image } from "../memory.ts";
import { KIND, type Operation } from "../operations.ts";
import { Histories, STEP, valueKey } from "./history.ts";
import { type AnyView, elementRead, elementWrite, methodAccess, rangeRead } from "./views.ts";

/** A running thread program: the generator and where its code stands. */
export interface Fiber {
  readonly code: Iterator<Operation, unknown, unknown>;
  history: number;
  /** From then on only the whole history identifies the state. */
  exact: boolean;
  /** Local arrays that were changed, by the place where they were made. */
  readonly heap: Map<string, ArrayBufferView>;
}

type Code<T> = Generator<Operation, T, never>;

/** The `R` of the rewritten code in the explorer: accesses become operations, places in the code become histories. */
export class FiberRuntime {
  readonly histories = new Histories();
  image: Image | undefined;
  fiber: Fiber | undefined;
  readonly #made = new WeakMap<object, string>();
  #fresh = 0;

  /** Local arrays made from here on count from zero again: same code, same names. */
  restart(): void {
    this.#fresh = 0;
  }

  load = (w: AnyView, i: number) => this.#atomic(KIND.load, w, i);
  store = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.store, w, i, v);
  add = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.add, w, i, v);
  sub = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.sub, w, i, v);
  and = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.and, w, i, v);
  or = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.or, w, i, v);
  xor = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.xor, w, i, v);
  exchange = (w: AnyView, i: number, v: number | bigint) => this.#atomic(KIND.exchange, w, i, v);
  compareExchange = (w: AnyView, i: number, v: number | bigint, n: number | bigint) =>
    this.#atomic(KIND.compareExchange, w, i, v, n);
  /** Operand b is 1 when a time-out could end the sleep. */
  wait = (w: AnyView, i: number, v: number, timeoutMs = Number.POSITIVE_INFINITY) =>
    this.#atomic(KIND.wait, w, i, v, Number.isFinite(timeoutMs) ? 1 : 0);
  notify = (w: AnyView, i: number, count = Number.POSITIVE_INFINITY) =>
    this.#atomic(KIND.notify, w, i, Math.min(count, 0x7fffffff));
  waitAsync = (w: AnyView, i: number, v: number) => this.#atomic(KIND.waitAsync, w, i, v);

  report = (value: number) => this.#word(KIND.report, value, 0);
  invoke = (operation: number, argument: number) => this.#word(KIND.invoke, operation, argument);
  respond = (result: number) => this.#word(KIND.respond, result, 0);
  awaitEnd = (thread: number) => this.#word(KIND.awaitEnd, thread, 0);
  awaitRing = () => this.#word(KIND.awaitRing, 0, 0);
  labelled = (label: string, operation: Operation): Operation => ({ ...operation, label });
  unused = (operation: Operation): Operation => ({ ...operation, unused: true });
  /** Time stands still: only the explorer decides when a time-out happens. */
  now = () => 0;

  enter(place: number): number {
    const fiber = this.fiber!;
    const before = fiber.history;
    fiber.history = this.histories.extend(before, STEP.enter, String(place));
    return before;
  }

  leave<T>(before: number, value: T): T {
    const fiber = this.fiber!;
    const key = valueKey(value);
    // What has identity or inner state stays described by how it was made.
    if (key !== undefined && !fiber.exact) {
      fiber.history = this.histories.extend(before, STEP.leave, key);
    }
    return value;
  }

  base(): number {
    return this.fiber!.history;
  }

  head(base: number, place: number, ...locals: unknown[]): void {
    const fiber = this.fiber!;
    const keys = locals.map(valueKey);
    const whole = fiber.exact || keys.includes(undefined);
    const key = `${place}:${whole ? "" : keys.join(",")}`;
    fiber.history = this.histories.extend(whole ? fiber.history : base, STEP.head, key);
  }

  exact(): void {
    this.fiber!.exact = true;
  }

  fresh<T extends ArrayBufferView>(view: T): T {
    const shared = this.image !== undefined && this.image.startOf(view) >= 0;
    if (!shared) this.#made.set(view, `${this.fiber?.history ?? "attach"}:${this.#fresh++}`);
    return view;
  }

  *drive(result: unknown): Code<unknown> {
    if (!isCode(result)) return result;
    return yield* result;
  }

  *getter(object: Record<string, unknown>, name: string): Code<unknown> {
    const method = object[`$get_${name}`];
    return typeof method === "function" ? yield* method.call(object) : object[name];
  }

  *get(object: AnyView | Record<number, unknown>, index: number): Code<unknown> {
    const at = this.#shared(object);
    if (at < 0) return (object as Record<number, unknown>)[index];
    return yield elementRead(object as AnyView, at, index);
  }

  *put(object: AnyView | Record<number, unknown>, index: number, value: unknown): Code<unknown> {
    const at = this.#shared(object);
    if (at >= 0) yield elementWrite(object as AnyView, at, index, value as number);
    else {
      (object as Record<number, unknown>)[index] = value;
      this.#changed(object);
    }
    return value;
  }

  *update(o: AnyView, i: number, operator: string, by: number, old: boolean): Code<unknown> {
    const before = (yield* this.get(o, i)) as number;
    const after = operator === "+=" ? before + by : operator === "-=" ? before - by : undefined;
    if (after === undefined)
      throw new SyntaxError(`${operator} on an element is outside the subset`);
    yield* this.put(o, i, after);
    return old ? before : after;
  }

  *method(object: AnyView, name: string, ...args: unknown[]): Code<unknown> {
    const inputs: unknown[] = [];
    for (const arg of args) {
      // A shared array handed to a method that copies from it: that is a plain read of the whole range.
      const from = this.#shared(arg);
      inputs.push(from < 0 ? arg : yield rangeRead(arg as Uint8Array, from));
    }
    const at = this.#shared(object);
    if (at < 0 || name === "subarray") {
      const call = (object as unknown as Record<string, (...a: unknown[]) => unknown>)[name]!;
      const result = yield* this.drive(call.apply(object, inputs));
      if (ArrayBuffer.isView(object) && name.startsWith("set")) this.#changed(object);
      return result;
    }
    return yield methodAccess(object, at, name, inputs);
  }

  /** The number that stands for the whole local state of the running fiber. */
  stateOf(fiber: Fiber): number {
    if (fiber.heap.size === 0) return fiber.history;
    const parts = [...fiber.heap].map(([made, view]) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      return `${made}=${Buffer.from(bytes).toString("base64")}`;
    });
    return this.histories.extend(fiber.history, STEP.heap, parts.sort().join(";"));
  }

  #changed(object: object): void {
    const made = this.#made.get(object);
    if (made === undefined) this.fiber!.exact = true;
    else this.fiber!.heap.set(made, object as ArrayBufferView);
  }

  #shared(object: unknown): number {
    return ArrayBuffer.isView(object) ? this.image!.startOf(object) : -1;
  }

  #word(kind: number, a: number, b: number): Operation {
    return { kind, byte: 0, bytes: 0, a, b };
  }

  #atomic(
    kind: number,
    words: AnyView,
    index: number,
    a: number | bigint = 0,
    b: number | bigint = 0,
  ): Operation {
    const size = (words as Int32Array).BYTES_PER_ELEMENT;
    const start = this.#shared(words);
    if (start < 0) throw new RangeError("Atomics on memory that the scenario did not hand out");
    if (index < 0 || index >= (words as Int32Array).length) throw new RangeError("index outside");
    const byte = start + index * size;
    if (size === 4) return { kind, byte, bytes: 4, a: Number(a) | 0, b: Number(b) | 0 };
    return { kind, byte, bytes: 8, a: 0, b: 0, wideA: BigInt(a), wideB: BigInt(b) };
  }
}

function isCode(value: unknown): value is Code<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    value[Symbol.toStringTag as never] === "Generator"
  );
}
