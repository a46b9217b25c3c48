import {
  block,
  type Code,
  differs32,
  get,
  I32,
  i32,
  instantiate,
  isBelow32,
  isZero,
  leave,
  leaveIf,
  load32,
  loop,
  or32,
  set,
  store32,
  V128,
  WASM_PAGE_BYTES,
} from "../../hash/wasm-assembler.ts";
import { NAME_TABLE } from "../tags.ts";
import { COUNT_TEXT, PREPARE_BLOCKS } from "./count-text-wasm.ts";
import { byteAt, GIVE_UP, PASS_TAG } from "./pass-tag-wasm.ts";
import {
  AT,
  END,
  IN_WORD,
  LENGTHS_AT,
  MARGIN_BYTES,
  MAX_RUN_BYTES,
  PACKED_AT,
  PAGE_AT,
  PASSABLE_AT,
  PASSES,
  SLOTS_AT,
  WORDS,
} from "./text-run-layout.ts";

/*
 * Counts words sixteen bytes at a time, and skips tags that the scanner does not need. Most bytes of a page are text,
 * and most tags mean nothing to a crawler. The page is in the memory of the module, after the cells of the count.
 */

/** Counts the words of a page that was copied into its memory. */
export interface TextRun {
  /** Room for a page of MAX_RUN_BYTES; the two bytes behind a page must be 0. */
  readonly page: Buffer;
  /** Words begun so far, and whether the last byte belonged to one (1) or not (0). */
  readonly cells: Int32Array;
  /**
   * Reads from `from` up to the next "<" or "&", or up to `to`, and returns that offset. `space` is one more byte that
   * separates words; with `utf8` 1 the wide spaces of Unicode do as well. Simply written tags whose kind is in `passes`
   * are skipped; at any other it stops.
   */
  run(from: number, to: number, space: number, utf8: 0 | 1, passes: number): number;
}

/** `passable` has the bits of each tag that may be skipped. Undefined without WebAssembly or memory for it. */
export function makeTextRun(passable: Uint8Array): TextRun | undefined {
  try {
    const bytes = PAGE_AT + MAX_RUN_BYTES + MARGIN_BYTES;
    const { memory, run } = instantiate({
      name: "run",
      parameters: [I32, I32, I32, I32, I32],
      locals: [[15, I32], [10, V128]], // biome-ignore format: a table
      result: I32,
      body: BODY,
      memoryPages: Math.ceil(bytes / WASM_PAGE_BYTES),
    }) as { memory: { buffer: ArrayBuffer }; run: TextRun["run"] };
    const all = new Uint8Array(memory.buffer);
    all.set(NAME_TABLE.slots, SLOTS_AT);
    new Int32Array(memory.buffer, PACKED_AT).set(NAME_TABLE.packed);
    all.set(NAME_TABLE.lengths, LENGTHS_AT);
    all.set(passable, PASSABLE_AT);
    const page = Buffer.from(memory.buffer, PAGE_AT);
    return { page, cells: new Int32Array(memory.buffer, 0, 2), run };
  } catch {
    return undefined;
  }
}

const BODY: Code = [
  ...set(WORDS, load32(i32(0))),
  ...set(IN_WORD, load32(i32(4))),
  ...PREPARE_BLOCKS,
  ...block(
    loop([
      ...COUNT_TEXT,
      ...leaveIf(isZero(isBelow32(get(AT), get(END))), GIVE_UP),
      ...leaveIf(or32(isZero(get(PASSES)), differs32(byteAt(get(AT)), i32(0x3c))), GIVE_UP),
      ...PASS_TAG,
      ...leave(0),
    ]),
  ),
  ...store32(i32(0), get(WORDS)),
  ...store32(i32(4), get(IN_WORD)),
  ...get(AT),
];
