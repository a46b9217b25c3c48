import { setOf, T } from "./tags.ts";

const BODY = 0;
const TABLE = 1;
const CAPTION = 2;
const COLUMNS = 3;
const SECTION = 4;
const ROW = 5;
const CELL = 6;

const SECTIONS = setOf("tbody thead tfoot");
const CELLS = setOf("td th");
const MAX_DEPTH = 512;

/** The tags that this tracker understands; every other tag leaves tables as they are. */
export const TABLE_TAGS = "table caption colgroup col tbody thead tfoot tr td th";

/**
 * Follows tables by the rules of tree construction, as long as only table tags are directly in them. Inside a cell or
 * caption everything is ordinary body content, which only table tags can end.
 */
export class TableTracker {
  /** True directly inside a table, section or row, where other elements would be moved out of it. */
  structural = false;
  #state = BODY;
  #section = 0;
  #cell = 0;
  readonly #outer: number[] = [];

  get open(): boolean {
    return this.#outer.length > 0;
  }

  /** Takes a start tag of TABLE_TAGS; false when the nesting is too deep. */
  start(id: number): boolean {
    while (this.#onStart(id));
    this.structural = this.#isStructural();
    return this.#outer.length <= MAX_DEPTH;
  }

  /** Takes an end tag of TABLE_TAGS. */
  end(id: number): void {
    while (this.#onEnd(id));
    this.structural = this.#isStructural();
  }

  #isStructural(): boolean {
    return this.#state !== BODY && this.#state !== CAPTION && this.#state !== CELL;
  }

  #push(): boolean {
    this.#outer.push(this.#state | (this.#section << 3) | (this.#cell << 12));
    this.#state = TABLE;
    return false;
  }

  #pop(): boolean {
    const packed = this.#outer.pop()!;
    this.#state = packed & 7;
    this.#section = (packed >> 3) & 511;
    this.#cell = packed >> 12;
    return true;
  }

  #become(state: number, again: boolean): boolean {
    this.#state = state;
    return again;
  }

  /** One step of the standard's insertion modes; true when the tag must be looked at again. */
  #onStart(id: number): boolean {
    const state = this.#state;
    if (id === T.table) {
      // A table directly inside a table closes that one first.
      return state === BODY || state === CELL || state === CAPTION ? this.#push() : this.#pop();
    }
    switch (state) {
      case CELL:
        return this.#become(ROW, true);
      case CAPTION:
        return this.#become(TABLE, true);
      case COLUMNS:
        return id === T.col ? false : this.#become(TABLE, true);
      case TABLE:
        if (id === T.caption) return this.#become(CAPTION, false);
        if (id === T.colgroup || id === T.col) return this.#become(COLUMNS, false);
        this.#section = SECTIONS[id] === 1 ? id : T.tbody;
        return this.#become(SECTION, SECTIONS[id] !== 1);
      case SECTION:
        if (id === T.tr) return this.#become(ROW, false);
        return CELLS[id] === 1 ? this.#become(ROW, true) : this.#become(TABLE, true);
      case ROW:
        if (CELLS[id] !== 1) return this.#become(SECTION, true);
        this.#cell = id;
        return this.#become(CELL, false);
      default:
        return false;
    }
  }

  #onEnd(id: number): boolean {
    const isOurSection = id === this.#section;
    switch (this.#state) {
      case CELL:
        if (id === this.#cell) return this.#become(ROW, false);
        return id === T.table || id === T.tr || isOurSection ? this.#become(ROW, true) : false;
      case CAPTION:
        if (id === T.caption) return this.#become(TABLE, false);
        return id === T.table ? this.#become(TABLE, true) : false;
      case COLUMNS:
        if (id === T.col) return false;
        return this.#become(TABLE, id !== T.colgroup);
      case TABLE:
        if (id === T.table) this.#pop();
        return false;
      case SECTION:
        if (isOurSection) return this.#become(TABLE, false);
        return id === T.table ? this.#become(TABLE, true) : false;
      case ROW:
        if (id === T.tr) return this.#become(SECTION, false);
        return id === T.table || isOurSection ? this.#become(SECTION, true) : false;
      default:
        return false;
    }
  }
}
