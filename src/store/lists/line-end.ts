const ZERO = 48;
const NINE = 57;
/** More digits may not fit a number. */
const MAX_DIGITS = 15;

/** Reads a line from its end, without making a string of it. */
export class LineEnd {
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;
  #at = 0;

  /** Begins at the end of the line between these places. */
  open(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#from = from;
    this.#at = to;
  }

  /** Steps over a text that stands before what was read; false when another one does. */
  skip(text: Uint8Array): boolean {
    const start = this.#at - text.length;
    if (start < this.#from) return false;
    const bytes = this.#bytes;
    for (let i = text.length - 1; i >= 0; i--) if (bytes[start + i] !== text[i]) return false;
    this.#at = start;
    return true;
  }

  /** Reads the number that stands before what was read; -1 when there is none. */
  number(): number {
    const bytes = this.#bytes;
    const end = this.#at;
    let value = 0;
    let at = end - 1;
    for (let weight = 1; at >= this.#from; at--, weight *= 10) {
      const byte = bytes[at]!;
      if (byte < ZERO || byte > NINE) break;
      value += weight * (byte - ZERO);
    }
    this.#at = at + 1;
    const digits = end - this.#at;
    return digits === 0 || digits > MAX_DIGITS ? -1 : value;
  }
}

/** Reads the places of records from lines of one kind: nearly all lines name the same file as the one before. */
export class PlaceAtEnd {
  readonly #pieces: PlacePieces;
  readonly #end = new LineEnd();
  #file = "";
  #fileText: Uint8Array | undefined;

  constructor(pieces: PlacePieces) {
    this.#pieces = pieces;
  }

  /** The file that `offset` is about. */
  get file(): string {
    return this.#file;
  }

  /** This is the file that lines are expected to name: it stands in them as it is. */
  expect(file: string): void {
    const { beforeFile, behindFile } = this.#pieces;
    this.#file = file;
    this.#fileText = Buffer.from(`${beforeFile}${file}${behindFile}`, "latin1");
  }

  /** The offset of the record that a line names in the expected file; -1 when it has to be read in another way. */
  offset(bytes: Uint8Array, from: number, to: number): number {
    if (this.#fileText === undefined) return -1;
    this.#end.open(bytes, from, to);
    return this.#pieces.read(this.#end, this.#fileText);
  }
}

/** How the lines of a list end. */
export interface PlacePieces {
  readonly beforeFile: string;
  readonly behindFile: string;
  /** Reads the offset, -1 when the line ends otherwise; `file` is the name of the file with what stands around it. */
  read(end: LineEnd, file: Uint8Array): number;
}

const BRACE = Buffer.from("}");
const OFFSET_TEXT = Buffer.from('"offset":"');
/** Before the offset of a record, in page list and log. */
export const OFFSET: Uint8Array = Buffer.from(',"offset":');
const LENGTH = Buffer.from(',"length":');

/** `…"offset":"1","filename":"…"}` */
export const INDEX_END: PlacePieces = {
  beforeFile: '","filename":"',
  behindFile: '"}',
  read(end, file) {
    if (!end.skip(file)) return -1;
    const offset = end.number();
    return end.skip(OFFSET_TEXT) ? offset : -1;
  },
};

/** `…"file":"…","offset":1,"length":2}` */
export const PAGE_END: PlacePieces = {
  beforeFile: '"file":"',
  behindFile: '"',
  read(end, file) {
    if (!end.skip(BRACE) || end.number() < 0 || !end.skip(LENGTH)) return -1;
    const offset = end.number();
    return end.skip(OFFSET) && end.skip(file) ? offset : -1;
  },
};

/** `…,"file":"…","offset":1}` */
export const LOG_END: PlacePieces = {
  beforeFile: ',"file":"',
  behindFile: '"',
  read(end, file) {
    if (!end.skip(BRACE)) return -1;
    const offset = end.number();
    return end.skip(OFFSET) && end.skip(file) ? offset : -1;
  },
};
