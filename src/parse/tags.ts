/**
 * Tag names as small numbers. The order of NAMES gives the ids; 0 stands for every other name.
 * The names are those that tree construction, link extraction or word counting distinguishes.
 */
const NAME_LIST =
  "a abbr address annotation-xml applet area article aside audio b base basefont bdi bdo bgsound big blockquote body br button caption center cite code col colgroup data dd del desc details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer foreignobject form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd keygen label li link listing main malignmark mark marquee math menu meta mglyph mi mn mo ms mtext nav nobr noembed noframes noscript object ol optgroup option p param plaintext pre q rb rp rt rtc ruby s samp script search section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp";
const NAMES: readonly string[] = NAME_LIST.split(" ");

type Split<S extends string, Found = never> = S extends `${infer First} ${infer Rest}`
  ? Split<Rest, Found | First>
  : Found | S;
/** A tag name that has an id. */
export type TagName = Split<typeof NAME_LIST>;

const bytesOf = NAMES.map((name) => Buffer.from(name));
const TABLE_SIZE = 1024;
const table = new Uint8Array(TABLE_SIZE);
const packedOf = new Int32Array(256);
const lengthOf = new Uint8Array(256);

/** ASCII upper case to lower case, every other byte to itself. */
export const LOWER: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Whether a byte can begin a tag name. */
export function isLetter(byte: number): boolean {
  const lower = LOWER[byte]!;
  return lower >= 0x61 && lower <= 0x7a;
}

/** A byte of a tag name in lower case; 0 where the name ends. NUL is part of a name, but not of any of ours. */
export const NAME_BYTE: Uint8Array = LOWER.slice();
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x2f, 0x3e]) NAME_BYTE[byte] = 0;
NAME_BYTE[0] = 1;

/** Class of a byte where a name may end: 1 white space, 2 slash, 3 ">", 4 "=", 0 anything else. */
export const BREAK: Uint8Array = new Uint8Array(256);
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) BREAK[byte] = 1;
BREAK[0x2f] = 2;
BREAK[0x3e] = 3;
BREAK[0x3d] = 4;

/**
 * Names are looked up by their last four bytes, packed into one number, and their length: for names
 * of up to four bytes, most of all tags, equal numbers mean equal names.
 */
function slotOf(packed: number, length: number): number {
  return ((Math.imul(packed, 0x9e3779b1) >>> 22) + length) & (TABLE_SIZE - 1);
}

NAMES.forEach((_, index) => {
  const name = bytesOf[index]!;
  let packed = 0;
  for (const byte of name) packed = (packed << 8) | byte;
  let slot = slotOf(packed, name.length);
  while (table[slot] !== 0) slot = (slot + 1) & (TABLE_SIZE - 1);
  table[slot] = index + 1;
  packedOf[index + 1] = packed;
  lengthOf[index + 1] = name.length;
});

/** The table for lookups elsewhere: ids by slot, then the packed number and the length of each id. */
export const NAME_TABLE: {
  readonly slots: Uint8Array;
  readonly packed: Int32Array;
  readonly lengths: Uint8Array;
  /** Spellings by id, none for 0. */
  readonly names: readonly string[];
} = { slots: table, packed: packedOf, lengths: lengthOf, names: ["", ...NAMES] };

/** The id of the name at buf[start, end) whose lower-cased bytes end in `packed`; 0 when not ours. */
export function tagId(buf: Uint8Array, start: number, end: number, packed: number): number {
  const length = end - start;
  let slot = slotOf(packed, length);
  for (let id = table[slot]!; id !== 0; id = table[slot]!) {
    if (packedOf[id] === packed && lengthOf[id] === length) {
      if (length <= 4) return id;
      const name = bytesOf[id - 1]!;
      let i = length - 5;
      while (i >= 0 && name[i] === LOWER[buf[start + i]!]!) i--;
      if (i < 0) return id;
    }
    slot = (slot + 1) & (TABLE_SIZE - 1);
  }
  return 0;
}

/** The name that belongs to an id, empty for 0. */
export function tagName(id: number): string {
  return id === 0 ? "" : NAMES[id - 1]!;
}

/** What the tags of each space-separated list of names have in common, by id. */
export function byId<Value>(
  lists: readonly (readonly [names: string, value: Value])[],
): (Value | undefined)[] {
  const values = new Array<Value | undefined>(256).fill(undefined);
  for (const [names, value] of lists) for (const id of idsOf(names)) values[id] = value;
  return values;
}

/** The same for numbers below 256; other tags have `otherwise`. */
export function bytesById(
  lists: readonly (readonly [names: string, value: number])[],
  otherwise = 0,
): Uint8Array {
  return Uint8Array.from(byId(lists), (value) => value ?? otherwise);
}

/** A table with 1 for every id in a space-separated list of names. */
export function setOf(names: string): Uint8Array {
  return bytesById([[names, 1]]);
}

function idsOf(names: string): number[] {
  return names.split(" ").map((name) => {
    const id = NAMES.indexOf(name) + 1;
    if (id === 0) throw new RangeError(`no such tag: ${name}`);
    return id;
  });
}

/** The ids by name. */
export const T: Readonly<Record<TagName, number>> = Object.freeze(
  Object.fromEntries(NAMES.map((name, index) => [name, index + 1])),
) as Readonly<Record<TagName, number>>;
