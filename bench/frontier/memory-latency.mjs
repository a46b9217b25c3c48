import {
  add32,
  add64,
  compile,
  get,
  I32,
  I64,
  i32,
  i64,
  isBelow32,
  load32,
  multiply64,
  narrow,
  set,
  shiftLeft32,
  shiftRight64,
  WASM_PAGE_BYTES,
  whileTrue,
  widen,
  xor64,
} from "../../build/src/hash/wasm-assembler.js";

const READS = 20_000;
const TURNS = 50;

const [COUNT, LINES, SEED, TURN, READ, STATE] = [0, 1, 2, 3, 4, 5];
/** The next of splitmix's states and a line from its top half. What was read, always 0, is added where each read waits for the one before. */
const readLine = (waits) => [
  ...set(STATE, add64(get(STATE), i64(0x9e3779b97f4a7c15n))),
  ...(waits ? set(STATE, add64(get(STATE), widen(get(READ)))) : []),
  ...set(
    READ,
    add32(
      get(READ),
      load32(
        shiftLeft32(narrow(shiftRight64(multiply64(mixed, widen(get(LINES))), i64(32n))), i32(6)),
      ),
    ),
  ),
];
const xorShifted = (value, bits) => xor64(value, shiftRight64(value, i64(bits)));
const mixed = shiftRight64(
  multiply64(xorShifted(get(STATE), 29n), i64(0xbf58476d1ce4e5b9n)),
  i64(32n),
);

const readMany = (name, waits) => ({
  name,
  parameters: [I32, I32, I32],
  locals: [[2, I32], [1, I64]], // biome-ignore format: a table
  result: I32,
  body: [
    ...set(STATE, widen(get(SEED))),
    ...whileTrue(isBelow32(get(TURN), get(COUNT)), [
      ...readLine(waits),
      ...set(TURN, add32(get(TURN), i32(1))),
    ]),
    ...get(READ),
  ],
});
const instance = compile([readMany("alone", true), readMany("together", false)], 1);

/** CPU for a read of a random line in so many bytes: one that waits for the read before, and one of many that need not. */
export function readNanoseconds(bytes, nanoseconds, summary) {
  const { memory, alone, together } = instance();
  const pages = Math.ceil(bytes / WASM_PAGE_BYTES);
  memory.grow(pages - 1);
  // Written once, so that every page has memory of its own.
  new Uint8Array(memory.buffer).fill(0);
  const lines = pages * (WASM_PAGE_BYTES / 64);
  const times = { readAlone: [], readTogether: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    const seed = turn * 0x3779b9;
    times.readAlone.push(nanoseconds(() => alone(READS, lines, seed), READS));
    times.readTogether.push(nanoseconds(() => together(READS, lines, ~seed), READS));
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)]));
}
