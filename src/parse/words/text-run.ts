import { compiledCode } from "../../runtime/compiled-code.ts";
import { NAME_TABLE } from "../tags.ts";
import {
  LENGTHS_AT,
  MARGIN_BYTES,
  MAX_RUN_BYTES,
  PACKED_AT,
  PAGE_AT,
  PASSABLE_AT,
  SLOTS_AT,
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

/** What `assembly/text-run-code.ts` exports. */
interface TextRunCode {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: TextRun["run"];
}

/** `passable` has the bits of each tag that may be skipped. Undefined without its code, WebAssembly or memory for it. */
export function makeTextRun(
  passable: Uint8Array,
  file: URL = new URL("./text-run-code.wasm", import.meta.url),
): TextRun | undefined {
  try {
    const { memory, run } = compiledCode<TextRunCode>(file)();
    if (memory.buffer.byteLength < PAGE_AT + MAX_RUN_BYTES + MARGIN_BYTES) return undefined;
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
