import { T } from "../tags.ts";
import { HTML, IMPLIED_END, PROPERTIES, SPECIAL } from "./sets.ts";

/** Deeper elements are inserted but never opened, so that every search stays bounded. */
export const MAX_DEPTH = 512;

/** The stack of open elements, as columns; index 0 is the html element. */
export class OpenElements {
  top = -1;
  /** How many templates are open: nothing inside them belongs to the page. */
  templates = 0;
  readonly ids = new Uint16Array(MAX_DEPTH);
  readonly namespaces = new Uint8Array(MAX_DEPTH);
  readonly bits = new Uint8Array(MAX_DEPTH);
  /** 1 for an HTML integration point, 2 for a MathML text integration point. */
  readonly integration = new Uint8Array(MAX_DEPTH);
  /** A number no other element of the page has. */
  readonly serials = new Int32Array(MAX_DEPTH);
  /** The node of the link order in front of which this element's content is added. */
  readonly before = new Int32Array(MAX_DEPTH);
  /** The last node in front of this element's content. */
  readonly after = new Int32Array(MAX_DEPTH);
  /** For a table: the node in front of which moved-out content goes. */
  readonly marker = new Int32Array(MAX_DEPTH);
  #serial = 0;

  get current(): number {
    return this.top < 0 ? 0 : this.ids[this.top]!;
  }

  get namespace(): number {
    return this.top < 0 ? HTML : this.namespaces[this.top]!;
  }

  /** Opens an element and returns its serial, or 0 when the page is nested too deep. */
  push(id: number, namespace: number, before: number, after: number): number {
    if (this.top + 1 >= MAX_DEPTH) return 0;
    const i = ++this.top;
    this.ids[i] = id;
    this.namespaces[i] = namespace;
    this.bits[i] = id < 256 ? PROPERTIES[namespace * 256 + id]! : 0;
    this.integration[i] = 0;
    this.serials[i] = ++this.#serial;
    this.before[i] = before;
    this.after[i] = after;
    this.marker[i] = before;
    if (id === T.template && namespace === HTML) this.templates++;
    return this.#serial;
  }

  /** A serial for an element that is made but not opened by push. */
  newSerial(): number {
    return ++this.#serial;
  }

  pop(): void {
    this.shorten(this.top);
  }

  /** Closes everything from index `length` upward. */
  shorten(length: number): void {
    for (; this.top >= length && this.top >= 0; this.top--) {
      if (this.ids[this.top] === T.template && this.namespaces[this.top] === HTML) this.templates--;
    }
  }

  /** Removes the element with this serial, wherever it is. */
  remove(serial: number): void {
    const index = this.indexOfSerial(serial);
    if (index >= 0) this.removeAt(index);
  }

  /** Removes one element, wherever it is. */
  removeAt(index: number): void {
    if (this.ids[index] === T.template && this.namespaces[index] === HTML) this.templates--;
    for (const column of this.#columns()) column.copyWithin(index, index + 1, this.top + 1);
    this.top--;
  }

  /** Puts a copy of the entry at `below`, with another id and serial, directly above it. */
  insertAbove(below: number, id: number, serial: number): void {
    if (this.top + 1 >= MAX_DEPTH) return;
    for (const column of this.#columns()) column.copyWithin(below + 2, below + 1, this.top + 1);
    this.top++;
    const i = below + 1;
    for (const column of this.#columns()) column[i] = column[below]!;
    this.ids[i] = id;
    this.namespaces[i] = HTML;
    this.bits[i] = 0;
    this.integration[i] = 0;
    this.serials[i] = serial;
  }

  #columns(): (Uint16Array | Uint8Array | Int32Array)[] {
    return [
      this.ids,
      this.namespaces,
      this.bits,
      this.integration,
      this.serials,
      this.before,
      this.after,
      this.marker,
    ];
  }

  /** Index of the innermost open HTML element with this id, -1 when there is none. */
  topmost(id: number): number {
    for (let i = this.top; i >= 0; i--) {
      if (this.ids[i] === id && this.namespaces[i] === HTML) return i;
    }
    return -1;
  }

  /** Index of the innermost open HTML element whose id is in the set, -1 when there is none. */
  topmostOf(set: Uint8Array): number {
    for (let i = this.top; i >= 0; i--) {
      if (set[this.ids[i]!] === 1 && this.namespaces[i] === HTML) return i;
    }
    return -1;
  }

  indexOfSerial(serial: number): number {
    for (let i = this.top; i >= 0; i--) if (this.serials[i] === serial) return i;
    return -1;
  }

  /** True when the element is open and no boundary of this kind of scope is above it. */
  has(id: number, scope: number): boolean {
    for (let i = this.top; i >= 0; i--) {
      if (this.ids[i] === id && this.namespaces[i] === HTML) return true;
      if ((this.bits[i]! & scope) !== 0) return false;
    }
    return false;
  }

  /** The same for a set of ids. */
  hasAny(set: Uint8Array, scope: number): boolean {
    const index = this.topmostOf(set);
    return index >= 0 && !this.anyAbove(index, scope);
  }

  /** True when only option and optgroup are between a select and the current element. */
  hasSelect(): boolean {
    for (let i = this.top; i >= 0; i--) {
      if (this.namespaces[i] !== HTML) continue;
      if (this.ids[i] === T.select) return true;
      if (this.ids[i] !== T.option && this.ids[i] !== T.optgroup) return false;
    }
    return false;
  }

  /** True when an element with one of these properties is open above `index`. */
  anyAbove(index: number, bits: number): boolean {
    for (let i = this.top; i > index; i--) if ((this.bits[i]! & bits) !== 0) return true;
    return false;
  }

  /** Closes the innermost element of this name and everything in it; nothing when it is not open. */
  popUntil(id: number): void {
    const index = this.topmost(id);
    if (index > 0) this.shorten(index);
  }

  /** Closes everything above the innermost element of the set, which stays open. */
  clearTo(set: Uint8Array): void {
    this.shorten(this.topmostOf(set) + 1);
  }

  /** Closes the innermost element of this name unless a special element is open inside it. */
  closeOrdinary(id: number): void {
    const index = this.topmost(id);
    if (index > 0 && !this.anyAbove(index, SPECIAL)) this.shorten(index);
  }

  /** Closes the element if it is in scope, with the ends that are implied; false when it is not. */
  close(id: number, scope: number): boolean {
    if (!this.has(id, scope)) return false;
    this.impliedEnds(id);
    this.popUntil(id);
    return true;
  }

  /** Closes current elements whose end tags may be omitted, except those named `exceptId`. */
  impliedEnds(exceptId = 0, set: Uint8Array = IMPLIED_END): void {
    while (this.current !== exceptId && set[this.current] === 1 && this.namespace === HTML)
      this.top--;
  }
}
