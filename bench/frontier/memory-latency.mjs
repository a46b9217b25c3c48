import asc from "assemblyscript/asc";

const WASM_PAGE_BYTES = 1 << 16;
const READS = 20_000;
const TURNS = 50;

/** The next of splitmix's states and a line from its top half. What was read, always 0, is added where each read waits for the one before. */
const readMany = (name, waits) => `
  export function ${name}(count: u32, lines: u32, seed: u32): u32 {
    let state = <u64>seed;
    let read: u32 = 0;
    let turn: u32 = 0;
    while (turn < count) {
      state += 0x9e3779b97f4a7c15${waits ? " + <u64>read" : ""};
      const mixed = ((state ^ (state >> 29)) * 0xbf58476d1ce4e5b9) >> 32;
      read += load<u32>(<usize>(<u32>((mixed * <u64>lines) >> 32) << 6));
      turn++;
    }
    return read;
  }`;
const source = readMany("alone", true) + readMany("together", false);
const { binary, error } = await asc.compileString(source, {
  ...{ optimizeLevel: 3, runtime: "stub", initialMemory: 1, noAssert: true },
});
if (error) throw error;
const module = new WebAssembly.Module(binary);

/** CPU for a read of a random line in so many bytes: one that waits for the read before, and one of many that need not. */
export function readNanoseconds(bytes, nanoseconds, summary) {
  const { memory, alone, together } = new WebAssembly.Instance(module).exports;
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
