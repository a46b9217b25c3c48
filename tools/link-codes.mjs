// Finds the Huffman codes in src/store/templates/assembly/deflate-codes.ts: node tools/link-codes.mjs FILE ... prints that file. The
// files hold metadata records ("outlink: URL" lines), as many kinds as there are.
import { readFileSync } from "node:fs";

const MAX_BITS = 13;
const HEADER_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LITERALS = 286;
const DISTANCES = 30;

const lengthSymbol = (length) => {
  if (length === 258) return 285;
  let symbol = 257;
  for (let base = 3, bits = 0; ; symbol++) {
    bits = symbol < 265 ? 0 : Math.floor((symbol - 261) / 4);
    if (length < base + 2 ** bits) return symbol;
    base += 2 ** bits;
  }
};
const distanceSymbol = (distance) => {
  for (let symbol = 0, base = 1; ; symbol++) {
    const bits = symbol < 4 ? 0 : Math.floor(symbol / 2) - 1;
    if (distance < base + 2 ** bits) return symbol;
    base += 2 ** bits;
  }
};

/** Counts symbols as deflate.ts finds matches. */
function count(bytes, literals, distances) {
  const last = new Map();
  for (let at = 0; at < bytes.length; ) {
    const key = bytes.toString("latin1", at, at + 4);
    const seen = last.get(key);
    last.set(key, at);
    if (key.length < 4 || seen === undefined || at - seen > 32_768) {
      literals[bytes[at++]]++;
      continue;
    }
    let length = 4;
    while (
      length < 258 &&
      at + length < bytes.length &&
      bytes[seen + length] === bytes[at + length]
    )
      length++;
    literals[lengthSymbol(length)]++;
    distances[distanceSymbol(at - seen)]++;
    at += length;
  }
  literals[256]++;
}

/** Lengths of a Huffman code; counts are flattened until none is longer than allowed. */
function codeLengths(counts, most) {
  for (let flat = 0; ; flat = flat * 2 + 1) {
    const lengths = counts.map(() => 0);
    let nodes = counts.map((n, i) => ({ n: n + flat, leaves: [i] })).filter(({ n }) => n > 0);
    while (nodes.length > 1) {
      nodes.sort((a, b) => a.n - b.n);
      const [a, b, ...rest] = nodes;
      const leaves = [...a.leaves, ...b.leaves];
      for (const leaf of leaves) lengths[leaf]++;
      nodes = [{ n: a.n + b.n, leaves }, ...rest];
    }
    if (Math.max(...lengths) <= most) return lengths;
  }
}

/** The canonical codes of these lengths, bits reversed as deflate wants them. */
function codes(lengths) {
  const next = [];
  for (let bits = 1, code = 0; bits <= 15; bits++) {
    code = (code + lengths.filter((length) => length === bits - 1 && length > 0).length) << 1;
    next[bits] = code;
  }
  return lengths.map((length) => {
    if (length === 0) return 0;
    const code = next[length]++;
    return Number.parseInt([...code.toString(2).padStart(length, "0")].reverse().join(""), 2);
  });
}

/** The lengths as deflate writes them: symbols with repeats. */
function runs(lengths) {
  const found = [];
  for (let at = 0; at < lengths.length; ) {
    let same = 1;
    while (lengths[at + same] === lengths[at]) same++;
    found.push([lengths[at], 0, 0]);
    at++;
    for (let left = same - 1; left >= 3; ) {
      const take = Math.min(left, 6);
      found.push([16, take - 3, 2]);
      left -= take;
      at += take;
    }
  }
  return found;
}

const literals = Array(LITERALS).fill(0);
const distances = Array(DISTANCES).fill(0);
for (const file of process.argv.slice(2)) count(readFileSync(file), literals, distances);
// Every symbol has a code, whatever a record holds.
const literalLengths = codeLengths(
  literals.map((n) => 8 * n + 1),
  MAX_BITS,
);
const distanceLengths = codeLengths(
  distances.map((n) => 8 * n + 1),
  MAX_BITS,
);
const symbols = runs([...literalLengths, ...distanceLengths]);
const symbolCounts = Array(19).fill(0);
for (const [symbol] of symbols) symbolCounts[symbol]++;
const symbolLengths = codeLengths(symbolCounts, 7);
const symbolCodes = codes(symbolLengths);
let bits = "";
const put = (value, length) => {
  bits += [...value.toString(2).padStart(length, "0")].reverse().join("");
};
// The last block, with codes of its own.
put(1, 1);
put(2, 2);
put(LITERALS - 257, 5);
put(DISTANCES - 1, 5);
const used = HEADER_ORDER.map((symbol) => symbolLengths[symbol]);
const kept = used.findLastIndex((length) => length > 0) + 1;
put(kept - 4, 4);
for (const length of used.slice(0, kept)) put(length, 3);
for (const [symbol, extra, extraBits] of symbols) {
  put(symbolCodes[symbol], symbolLengths[symbol]);
  if (extraBits > 0) put(extra, extraBits);
}
const hex = (bits.match(/.{1,8}/g) ?? [])
  .map((byte) => Number.parseInt([...byte.padEnd(8, "0")].reverse().join(""), 2))
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");
const text = (lengths) => lengths.map((length) => length.toString(16)).join("");
const lines = (constant) =>
  constant
    .match(/.{1,96}/g)
    .map((part) => `  "${part}"`)
    .join(" +\n");
process.stdout.write(`// Codes of deflate.ts, found by tools/link-codes.mjs in metadata records: their lengths, one hexadecimal digit per symbol, and
// the header of a block that tells them.

export const LITERAL_LENGTHS: string =
${lines(text(literalLengths))};
export const DISTANCE_LENGTHS: string =
${lines(text(distanceLengths))};
export const BLOCK_HEADER: string =
${lines(hex)};
export const BLOCK_HEADER_BITS: i32 = ${bits.length};
`);
