/*
 * Assembles WebAssembly modules instruction by instruction, for the few loops that need arithmetic JavaScript does not
 * have. A module has a few functions and one memory.
 */

/** The part of the platform's WebAssembly that is used here. */
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

/** Size of a page of memory. */
export const WASM_PAGE_BYTES = 1 << 16;

/** A function; its memory is that of its module. */
export interface WasmFunction {
  /** Name of the export; the memory is exported as "memory". */
  readonly name: string;
  readonly parameters: readonly number[];
  /** After the parameters, as groups of one type. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly result: number;
  readonly body: Code;
}

/**
 * Compiles functions that work on one memory. Each call of the result makes an instance with its own memory and returns
 * its exports. Compiling throws without WebAssembly (`--jitless`), and an instance also when a limit (`ulimit -v`)
 * refuses the 10 GB of addresses that each memory reserves: callers need a fallback.
 */
export function compile(functions: readonly WasmFunction[], memoryPages: number): () => unknown {
  const module = new WebAssembly.Module(Uint8Array.from(moduleBytes(functions, memoryPages)));
  return () => new WebAssembly.Instance(module).exports;
}

/** The same for one function and one instance. */
export function instantiate(wanted: WasmFunction & { readonly memoryPages: number }): unknown {
  return compile([wanted], wanted.memoryPages)();
}

// Instructions, each preceded by the code of its operands.
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
/** The byte, or word, at an address plus `offset`. */
export const loadByte = (at: Code, offset: number): Code => [...at, 0x2d, 0, ...unsigned(offset)];
export const loadWord = (at: Code, offset: number): Code => [...at, 0x28, 0, ...unsigned(offset)];
export const loadBlock = (at: Code, offset: number): Code => [
  ...[...at, 0xfd, 0x00, 0],
  ...unsigned(offset),
];
export const load32 = (at: Code): Code => [...at, 0x28, 0, 0];
export const store32 = (at: Code, value: Code, offset = 0): Code => [
  ...[...at, ...value, 0x36, 0],
  ...unsigned(offset),
];
export const storeByte = (at: Code, value: Code, offset = 0): Code => [
  ...[...at, ...value, 0x3a, 0],
  ...unsigned(offset),
];
export const load16 = (at: Code, offset: number): Code => [...at, 0x2f, 0, ...unsigned(offset)];
export const store16 = (at: Code, value: Code, offset: number): Code => [
  ...[...at, ...value, 0x3b, 0],
  ...unsigned(offset),
];
export const storeBlock = (at: Code, value: Code, offset: number): Code => [
  ...[...at, ...value, 0xfd, 0x0b, 0],
  ...unsigned(offset),
];
// The same with 64 bits.
export const load64 = (at: Code, offset = 0): Code => [...at, 0x29, 0, ...unsigned(offset)];
export const store64 = (at: Code, value: Code, offset = 0): Code => [
  ...[...at, ...value, 0x37, 0],
  ...unsigned(offset),
];
export const add64 = binary(0x7c);
export const subtract64 = binary(0x7d);
export const multiply64 = binary(0x7e);
export const and64 = binary(0x83);
export const or64 = binary(0x84);
export const xor64 = binary(0x85);
export const shiftLeft64 = binary(0x86);
export const shiftRight64 = binary(0x88);
export const rotateLeft64 = (a: Code, bits: number): Code => [...a, ...i64(BigInt(bits)), 0x89];
export const isNotZero64 = (a: Code): Code => [...a, ...i64(0n), 0x52];
/** 32 bits without a sign as 64, and the low half of 64 bits. */
export const widen = (a: Code): Code => [...a, 0xad];
export const narrow = (a: Code): Code => [...a, 0xa7];
// Two times 64 bits at once.
export const both64 = (a: Code): Code => [...a, 0xfd, 0x12];
export const areEqual64 = binary(0xfd, 0xd6, 0x01);
export const orBlock = binary(0xfd, 0x50);
export const hasAnyBit = (a: Code): Code => [...a, 0xfd, 0x53];
export const noBlock: Code = [0xfd, 0x0c, ...Array<number>(16).fill(0)];
/** The position of the lowest set bit. */
export const lowestBit = (a: Code): Code => [...a, 0x68];
export const countBits = (a: Code): Code => [...a, 0x69];
/** The first value when the condition holds, else the second. */
export const select = (a: Code, b: Code, condition: Code): Code => [...a, ...b, ...condition, 0x1b];
export const when = (condition: Code, body: Code): Code => [
  ...condition,
  0x04,
  0x40,
  ...body,
  0x0b,
];
/** Ends the function with a value. */
export const quit = (value: Code): Code => [...value, 0x0f];
/** A block that `leave` ends. */
export const block = (body: Code): Code => [0x02, 0x40, ...body, 0x0b];
/** A loop that `leave` repeats. */
export const loop = (body: Code): Code => [0x03, 0x40, ...body, 0x0b];
/** Ends the block, or repeats the loop, that is so many levels further out. */
export const leave = (depth: number): Code => [0x0c, depth];
export const leaveIf = (condition: Code, depth: number): Code => [...condition, 0x0d, depth];
/** Repeats `body` while `condition` holds; the condition is checked first. */
export const whileTrue = (condition: Code, body: Code): Code =>
  // block (loop (leave the block unless the condition holds; body; again))
  [0x02, 0x40, 0x03, 0x40, ...condition, 0x45, 0x0d, 1, ...body, 0x0c, 0, 0x0b, 0x0b];

function moduleBytes(functions: readonly WasmFunction[], memoryPages: number): Code {
  const types = functions.map(({ parameters, result }) => [
    0x60,
    ...vector(parameters),
    ...vector([result]),
  ]);
  const exported = functions.map(({ name }, i) => [...text(name), 0, i]);
  const codes = functions.map(({ locals, body }) => {
    const code = [...vector(locals), ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(3, vector(functions.map((_, i) => [i]))),
    ...section(5, vector([[0, ...unsigned(memoryPages)]])),
    ...section(7, vector([...exported, [...text("memory"), 2, 0]])),
    ...section(10, vector(codes)),
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
