/**
 * Tag names as small numbers. The order of NAMES gives the ids; 0 stands for every other name.
 * The names are those that tree construction, link extraction or word counting must tell apart.
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

/** ASCII upper case to lower case, every other byte to itself. */
export const LOWER: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Class of a byte where a name may end: 1 white space, 2 slash, 3 ">", 4 "=", 0 anything else. */
export const BREAK: Uint8Array = new Uint8Array(256);
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) BREAK[byte] = 1;
BREAK[0x2f] = 2;
BREAK[0x3e] = 3;
BREAK[0x3d] = 4;

/** One step of the rolling hash over the lower-cased bytes of a tag name. */
export function hashStep(hash: number, lowerByte: number): number {
  return (Math.imul(hash, 31) + lowerByte) | 0;
}

NAMES.forEach((_, index) => {
  let hash = 0;
  for (const byte of bytesOf[index]!) hash = hashStep(hash, byte);
  let slot = (hash ^ (hash >>> 10)) & (TABLE_SIZE - 1);
  while (table[slot] !== 0) slot = (slot + 1) & (TABLE_SIZE - 1);
  table[slot] = index + 1;
});

/** The id of the name at buf[start, end) whose rolling hash is `hash`; 0 when it is none of ours. */
export function tagId(buf: Uint8Array, start: number, end: number, hash: number): number {
  let slot = (hash ^ (hash >>> 10)) & (TABLE_SIZE - 1);
  for (let id = table[slot]!; id !== 0; id = table[slot]!) {
    const name = bytesOf[id - 1]!;
    if (name.length === end - start) {
      let i = 0;
      while (i < name.length && name[i] === LOWER[buf[start + i]!]!) i++;
      if (i === name.length) return id;
    }
    slot = (slot + 1) & (TABLE_SIZE - 1);
  }
  return 0;
}

/** The name that belongs to an id, empty for 0. */
export function tagName(id: number): string {
  return id === 0 ? "" : NAMES[id - 1]!;
}

/** A table with 1 for every id in a space-separated list of names. */
export function setOf(names: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const name of names.split(" ")) {
    const id = NAMES.indexOf(name) + 1;
    if (id === 0) throw new RangeError(`no such tag: ${name}`);
    set[id] = 1;
  }
  return set;
}

/** The ids by name. */
export const T: Readonly<Record<TagName, number>> = Object.freeze(
  Object.fromEntries(NAMES.map((name, index) => [name, index + 1])),
) as Readonly<Record<TagName, number>>;
