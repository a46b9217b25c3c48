import type { FoundLink, Harvest } from "../harvest.ts";
import { ATTR, type TagReader } from "../tag-reader.ts";
import { byId, T } from "../tags.ts";
import { type FormattingEntry, FormattingList } from "./formatting-list.ts";
import { END, LinkOrder } from "./link-order.ts";
import { OpenElements } from "./open-elements.ts";
import { HTML, MATHML, MODE_GIVING, SVG, TABLE_STRUCTURE } from "./sets.ts";

/** The insertion modes of the HTML standard that a scan without text nodes can be in. */
export const MODE = {
  initial: 0,
  beforeHtml: 1,
  beforeHead: 2,
  inHead: 3,
  inHeadNoscript: 4,
  afterHead: 5,
  inBody: 6,
  inTable: 7,
  inCaption: 8,
  inColumnGroup: 9,
  inTableBody: 10,
  inRow: 11,
  inCell: 12,
  inSelect: 13,
  inSelectInTable: 14,
  inTemplate: 15,
  afterBody: 16,
  inFrameset: 17,
  afterFrameset: 18,
  afterAfterBody: 19,
  afterAfterFrameset: 20,
} as const;

/** The mode inside an element, where the element alone decides. */
const MODE_IN = byId([
  ["tr", MODE.inRow],
  ["tbody tfoot thead", MODE.inTableBody],
  ["caption", MODE.inCaption],
  ["colgroup", MODE.inColumnGroup],
  ["table", MODE.inTable],
  ["frameset", MODE.inFrameset],
  ["select", MODE.inSelect],
  ["td th", MODE.inCell],
  ["head", MODE.inHead],
]);

/** What a tag does to the tree; the result is ignored. */
export type Rule = (tree: Tree) => unknown;

/** How the bytes after a start tag are read. */
export const RAW_NONE = 0;
export const RAW_TEXT = 1;
export const RAW_SCRIPT = 2;
export const RAW_PLAINTEXT = 3;

const TEXT_HTML = /^(?:text\/html|application\/xhtml\+xml)$/i;
const MATH_TEXT = new Set([T.mi, T.mo, T.mn, T.ms, T.mtext]);
const DYNAMIC_IDS = 256;

/** The state of tree construction, reduced to what decides which links a page has and in which order. */
export class Tree {
  readonly open = new OpenElements();
  readonly formatting = new FormattingList();
  readonly order = new LinkOrder();
  readonly reader: TagReader;
  readonly harvest: Harvest;
  mode: number = MODE.initial;
  readonly templateModes: number[] = [];
  hasHead = false;
  /** Serial of the form element that new form elements may not nest in. */
  form = 0;
  framesetOk = true;
  fostering = false;
  quirks = true;
  /** The current tag has to be processed again, in the mode that is current now. */
  again = false;
  /** What the driver must do after the current start tag. */
  raw = RAW_NONE;
  /** Where the current tag ends. */
  tagEnd = 0;
  /** The id of the current tag: a fixed one, or one assigned for this page when the name is unknown. */
  id = 0;
  #bodyNode = END;
  readonly #names = new Map<string, number>();

  constructor(reader: TagReader, harvest: Harvest) {
    this.reader = reader;
    this.harvest = harvest;
  }

  /** Gives the reader's current tag its id. */
  identify(): void {
    const { reader } = this;
    this.id = reader.id;
    if (this.id !== 0) return;
    const name = reader.buf.toString("latin1", reader.nameStart, reader.nameEnd).toLowerCase();
    let id = this.#names.get(name);
    if (id === undefined) {
      // All names beyond the range of ids share one; such a page is hostile.
      id = Math.min(DYNAMIC_IDS + this.#names.size, 0xffff);
      if (this.#names.size < 0xffff) this.#names.set(name, id);
    }
    this.id = id;
  }

  /** True where tags and CDATA follow the rules of SVG and MathML. */
  get inForeign(): boolean {
    const { open } = this;
    return open.top >= 0 && open.namespace !== HTML && open.integration[open.top] === 0;
  }

  /** The node of the link order in front of which a new element goes. */
  #place(): number {
    const { open } = this;
    if (open.top < 0) return END;
    if (!this.fostering || TABLE_STRUCTURE[open.current] !== 1) return open.before[open.top]!;
    const table = open.topmost(T.table);
    if (open.topmost(T.template) > table || table < 0) return END;
    return open.marker[table]!;
  }

  /** Inserts an element without opening it; returns its link if it has one. */
  append(namespace: number): FoundLink | undefined {
    return this.#emit(namespace, this.#place());
  }

  #emit(namespace: number, before: number): FoundLink | undefined {
    const { links } = this.harvest;
    const from = links.length;
    if (this.open.templates > 0) {
      // Not part of the page; but markers can let a formatting element outlive its template.
      if (namespace === HTML && this.id === T.a) this.harvest.element();
      return links.splice(from)[0];
    }
    if (namespace === HTML) this.harvest.element();
    else if (namespace === SVG && this.id === T.a) this.harvest.svgLink();
    for (let i = from; i < links.length; i++) this.order.insertBefore(before, links[i]);
    return links[from];
  }

  /** Inserts and opens the element of the current tag; returns its link if it has one. */
  insert(namespace: number): FoundLink | undefined {
    const before = this.#place();
    const link = this.#emit(namespace, before);
    this.#push(this.id, namespace, before);
    return link;
  }

  /** Inserts the element of the current tag in SVG or MathML, and opens it unless it closes itself. */
  insertForeign(namespace: number): void {
    if (this.reader.selfClosing) this.append(namespace);
    else this.insert(namespace);
  }

  /** Inserts and opens an element that the page does not spell out. */
  insertImplied(id: number): void {
    this.#push(id, HTML, this.#place());
  }

  #push(id: number, namespace: number, before: number): void {
    const { open, order } = this;
    // A table marks a place of its own, where content is moved out of it.
    const isPlace = namespace === HTML && (id === T.table || id === T.body);
    const node = isPlace ? order.insertBefore(before, undefined) : order.previous(before);
    if (open.push(id, namespace, before, node) === 0) return;
    if (isPlace) open.marker[open.top] = node;
    if (id === T.body && isPlace) this.#bodyNode = node;
    if (namespace !== HTML) open.integration[open.top] = this.#integration(id, namespace);
  }

  #integration(id: number, namespace: number): number {
    if (namespace === SVG) {
      return id === T.foreignobject || id === T.desc || id === T.title ? 1 : 0;
    }
    if (MATH_TEXT.has(id)) return 2;
    if (id !== T["annotation-xml"]) return 0;
    return TEXT_HTML.test(this.harvest.value(ATTR.encoding) ?? "") ? 1 : 0;
  }

  /** A frameset replaces the body and everything in it. */
  dropBody(): void {
    if (this.#bodyNode !== END) this.order.cutFrom(this.#bodyNode);
    this.open.shorten(1);
    this.open.templates = 0;
  }

  /** Opens a copy of a formatting element that was closed by something else. */
  #reopen(entry: FormattingEntry): void {
    const before = this.#place();
    if (entry.link !== undefined && this.open.templates === 0) {
      this.order.insertBefore(before, entry.link);
    }
    const serial = this.open.push(entry.id, HTML, before, this.order.previous(before));
    entry.serial = serial === 0 ? this.open.newSerial() : serial;
  }

  /** Reopens the formatting elements that are still active but not open. */
  reconstruct(): void {
    const { entries } = this.formatting;
    let i = entries.length;
    while (i > 0) {
      const entry = entries[i - 1];
      if (entry === undefined || this.open.indexOfSerial(entry.serial) >= 0) break;
      i--;
    }
    for (; i < entries.length; i++) this.#reopen(entries[i]!);
  }

  /** Opens the formatting element of the current tag and remembers it. */
  insertFormatting(): void {
    this.reconstruct();
    const { reader, open } = this;
    const top = open.top;
    const link = this.insert(HTML);
    const serial = open.top > top ? open.serials[open.top]! : open.newSerial();
    const tag = reader.buf.toString(
      "latin1",
      reader.start,
      Math.min(reader.start + 1000, this.tagEnd),
    );
    this.formatting.add({ id: this.id, serial, tag, link });
  }

  /** Sets the mode that the open elements ask for. */
  resetMode(): void {
    const { open } = this;
    const index = open.topmostOf(MODE_GIVING);
    const id = index < 0 ? 0 : open.ids[index]!;
    this.mode = MODE_IN[id] ?? MODE.inBody;
    if (id === T.select) {
      const table = open.topmost(T.table);
      if (table > 0 && table > open.topmost(T.template)) this.mode = MODE.inSelectInTable;
    } else if (id === T.template) this.mode = this.templateModes.at(-1) ?? MODE.inBody;
    else if (id === T.html) this.mode = this.hasHead ? MODE.afterHead : MODE.beforeHead;
  }

  /** True when a start tag follows the rules of foreign content rather than of the mode. */
  isForeignStart(): boolean {
    const { open, id } = this;
    if (open.namespace === HTML) return false;
    const isAnnotation = open.current === T["annotation-xml"] && open.namespace === MATHML;
    if (id === T.svg && isAnnotation) return false;
    if (this.inForeign) return true;
    return (id === T.mglyph || id === T.malignmark) && open.integration[open.top] !== 1;
  }
}
