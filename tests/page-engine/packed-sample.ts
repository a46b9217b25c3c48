import { LINK_WORDS, PackedLinks } from "../../src/page-engine/packed-links.ts";
import { linkLines } from "../../src/store/link-list.ts";

/** Seeds of the fingerprints of `packed`. */
export const SEEDS = { seedLow: 0xfedcba98, seedHigh: 5 };

/** Links as the engine leaves them in its memory. */
export function packed(urls: readonly string[], before: number): PackedLinks {
  const lines = linkLines(urls);
  const memory = Buffer.alloc(before + lines.length);
  memory.write(lines, before, "latin1");
  const words = new Uint32Array(LINK_WORDS * urls.length);
  let to = before;
  for (const [i, each] of urls.entries()) {
    const from = to + "outlink: ".length;
    words.set([7 * i, 0xf0000000 + i, from, from + each.length, 0, 0], LINK_WORDS * i);
    to = from + each.length + 2;
  }
  return new PackedLinks(memory, words, {
    links: urls.length,
    origins: 1,
    linesAt: before,
    linesBytes: lines.length,
    ...SEEDS,
  });
}
