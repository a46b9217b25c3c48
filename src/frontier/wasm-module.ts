/*
 * Puts WebAssembly modules together, instruction by instruction: for the few loops that JavaScript has no fast
 * arithmetic for. A module has one function and one memory.
 */

/** The platform's WebAssembly, as far as it is used here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
};

/** Instructions, or any other part of a module. */
export type Code = readonly number[];

/** Types of values. */
export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;

/** Memory is given in pages of this size. */
export const WASM_PAGE_BYTES = 1 << 16;

/** A function and the memory it works on. */
export interface WasmFunction {
  /** Under this name both are exported: the memory is called "memory". */
  readonly name: string;
  readonly parameters: readonly number[];
  /** Behind the parameters, as runs of one type. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly result: number;
  readonly body: Code;
  readonly memoryPages: number;
}

/**
 * Makes an instance and answers what it exports. Throws where there is no WebAssembly (`--jitless`), and where a limit
 * (`ulimit -v`) refuses the 10 GB of addresses that each memory reserves: have another way.
 */
export function instantiate(wanted: WasmFunction): unknown {
  const module = new WebAssembly.Module(Uint8Array.from(moduleBytes(wanted)));
  return new WebAssembly.Instance(module).exports;
}

// Instructions, each with the code of its operands before its own.
export const get = (local: number): Code => [0x20, local];
export const set = (local: number, value: Code): Code => [...value, 0x21, local];
export const i32 = (value: number): Code => [0x41, ...signed(BigInt(value))];
export const i64 = (value: bigint): Code => [0x42, ...signed(BigInt.asIntN(64, value))];
/** An instruction with two operands. */
export const binary =
  (...instruction: number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...instruction];
export const add32 = binary(0x6a);
export const subtract32 = binary(0x6b);
export const and32 = binary(0x71);
export const or32 = binary(0x72);
export const xor32 = binary(0x73);
export const shiftLeft32 = binary(0x74);
export const shiftRight32 = binary(0x76);
export const multiply32 = binary(0x6c);
export const isEqual32 = binary(0x46);
export const differs32 = binary(0x47);
export const isBelow32 = binary(0x49);
export const isZero = (a: Code): Code => [...a, 0x45];
/** The byte, or word, at an address behind `offset`. */
export const loadByte = (at: Code, offset: number): Code => [...at, 0x2d, 0, ...unsigned(offset)];
export const loadWord = (at: Code, offset: number): Code => [...at, 0x28, 0, ...unsigned(offset)];
export const loadBlock = (at: Code, offset: number): Code => [
  ...[...at, 0xfd, 0x00, 0],
  ...unsigned(offset),
];
export const load32 = (at: Code): Code => [...at, 0x28, 0, 0];
export const store32 = (at: Code, value: Code): Code => [...at, ...value, 0x36, 0, 0];
/** The place of the lowest bit that is set. */
export const lowestBit = (a: Code): Code => [...a, 0x68];
export const countBits = (a: Code): Code => [...a, 0x69];
/** The first when the condition holds. */
export const select = (a: Code, b: Code, condition: Code): Code => [...a, ...b, ...condition, 0x1b];
export const when = (condition: Code, body: Code): Code => [
  ...condition,
  0x04,
  0x40,
  ...body,
  0x0b,
];
/** What can be left by `leave`. */
export const block = (body: Code): Code => [0x02, 0x40, ...body, 0x0b];
/** What is done once unless `leave` repeats it. */
export const loop = (body: Code): Code => [0x03, 0x40, ...body, 0x0b];
/** Leaves the block, or repeats the loop, that stands so many blocks and loops further out. */
export const leave = (depth: number): Code => [0x0c, depth];
export const leaveIf = (condition: Code, depth: number): Code => [...condition, 0x0d, depth];
/** Repeats `body` while `condition` holds, which is looked at first. */
export const whileTrue = (condition: Code, body: Code): Code =>
  // block (loop (leave the block unless the condition holds; body; again))
  [0x02, 0x40, 0x03, 0x40, ...condition, 0x45, 0x0d, 1, ...body, 0x0c, 0, 0x0b, 0x0b];

function moduleBytes({ name, parameters, locals, result, body, memoryPages }: WasmFunction): Code {
  const type = [0x60, ...vector(parameters), ...vector([result])];
  const code = [...vector(locals), ...body, 0x0b];
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([type])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0, ...unsigned(memoryPages)]])),
    ...section(7, vector([[...text(name), 0, 0], [...text("memory"), 2, 0]])), // biome-ignore format: a table
    ...section(10, vector([[...unsigned(code.length), ...code]])),
  ];
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function text(characters: string): Code {
  return vector([...characters].map((character) => character.charCodeAt(0)));
}

function vector(items: readonly (number | Code)[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

/** LEB128: seven bits a byte, the top bit set where more follow. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
