import { KIND, type Operation } from "../operations.ts";

/** Any window on a buffer that code may index or call. */
export type AnyView = Int32Array | Uint8Array | BigInt64Array | Float64Array | DataView;

type Elements = Record<number, number | bigint> & { BYTES_PER_ELEMENT: number; length: number };
type MakeElements = new (buffer: ArrayBufferLike, at?: number, length?: number) => Elements;

/** What makes views like that one; a Buffer, which nobody may construct, holds bytes like any other. */
function typeOf(view: AnyView): MakeElements {
  return (Buffer.isBuffer(view) ? Uint8Array : view.constructor) as unknown as MakeElements;
}

/** A plain read of one element of a shared typed array. */
export function elementRead(view: AnyView, at: number, index: number): Operation {
  const elements = view as unknown as Elements;
  const bytes = elements.BYTES_PER_ELEMENT;
  const Type = typeOf(view);
  return {
    kind: KIND.read,
    byte: at + index * bytes,
    bytes,
    a: 0,
    b: 0,
    decode: (raw) => new Type(raw.slice().buffer)[0],
  };
}

/** A plain write of one element of a shared typed array. */
export function elementWrite(view: AnyView, at: number, index: number, value: number): Operation {
  const bytes = (view as unknown as Elements).BYTES_PER_ELEMENT;
  const Type = typeOf(view);
  const data = new Uint8Array(bytes);
  new Type(data.buffer)[0] = value;
  return { kind: KIND.write, byte: at + index * bytes, bytes, a: 0, b: 0, data };
}

/** A plain read of a range of a shared typed array; the code gets a copy. */
export function rangeRead(view: Uint8Array, at: number, from = 0, to = view.length): Operation {
  const size = view.BYTES_PER_ELEMENT;
  const Type = typeOf(view);
  return {
    kind: KIND.read,
    byte: at + from * size,
    bytes: Math.max(0, to - from) * size,
    a: 0,
    b: 0,
    decode: (raw) => new Type(raw.slice().buffer),
  };
}

/** A plain write of a range. */
export function rangeWrite(at: number, from: Uint8Array, offset: number): Operation {
  const data = new Uint8Array(from.buffer, from.byteOffset, from.byteLength).slice();
  const byte = at + offset * from.BYTES_PER_ELEMENT;
  return { kind: KIND.write, byte, bytes: data.length, a: 0, b: 0, data };
}

/** One call of a DataView on shared memory. */
export function viewAccess(view: DataView, at: number, name: string, args: unknown[]): Operation {
  const match = /^(get|set)(\D+?)(8|16|32|64)$/.exec(name);
  if (!match) throw new SyntaxError(`${name} on shared memory is outside the subset`);
  const bytes = Number(match[3]) / 8;
  const byte = at + (args[0] as number);
  const call = (target: DataView, ...rest: unknown[]): unknown =>
    (view as unknown as Record<string, (...a: unknown[]) => unknown>)[name]!.call(
      target,
      0,
      ...rest,
    );
  if (match[1] === "set") {
    const data = new Uint8Array(bytes);
    call(new DataView(data.buffer), ...args.slice(1));
    return { kind: KIND.write, byte, bytes, a: 0, b: 0, data };
  }
  const decode = (raw: Uint8Array): unknown =>
    call(new DataView(raw.slice().buffer), ...args.slice(1));
  return { kind: KIND.read, byte, bytes, a: 0, b: 0, decode };
}

/** The plain access that a method of shared memory makes. */
export function methodAccess(view: AnyView, at: number, name: string, args: unknown[]): Operation {
  // `fill` is only used to copy bytes into a range of the same length.
  if (name === "set" || name === "fill")
    return rangeWrite(at, args[0] as Uint8Array, (args[1] as number) ?? 0);
  if (name === "slice") return rangeRead(view as Uint8Array, at, ...(args as number[]));
  return viewAccess(view as DataView, at, name, args);
}
