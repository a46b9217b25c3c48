import type { FoundLink } from "../harvest.ts";

/** More entries than this are forgotten from the old end, so that reopening them stays bounded. */
const MAX_ENTRIES = 32;
const NOAHS_ARK = 3;

/** A formatting element that may have to be opened again. */
export interface FormattingEntry {
  id: number;
  serial: number;
  /** The bytes of its tag, to tell equal ones. */
  tag: string;
  /** What a copy of the element links to. */
  link: FoundLink | undefined;
}

/** The list of active formatting elements; undefined is a marker. */
export class FormattingList {
  readonly entries: (FormattingEntry | undefined)[] = [];

  mark(): void {
    this.entries.push(undefined);
  }

  /** Forgets everything up to the last marker. */
  clearToMarker(): void {
    while (this.entries.length > 0 && this.entries.pop() !== undefined);
  }

  add(entry: FormattingEntry): void {
    let equal = 0;
    let length = 0;
    for (let i = this.entries.length - 1; i >= 0; i--, length++) {
      const other = this.entries[i];
      if (other === undefined) break;
      if (other.id === entry.id && other.tag === entry.tag && ++equal === NOAHS_ARK) {
        this.entries.splice(i, 1);
        break;
      }
      if (length >= MAX_ENTRIES) {
        this.entries.splice(i, 1);
        break;
      }
    }
    this.entries.push(entry);
  }

  /** The newest entry of this name after the last marker. */
  find(id: number): FormattingEntry | undefined {
    for (let i = this.entries.length - 1; i >= 0; i--) {
      const entry = this.entries[i];
      if (entry === undefined || entry.id === id) return entry;
    }
    return undefined;
  }

  bySerial(serial: number): FormattingEntry | undefined {
    for (let i = this.entries.length - 1; i >= 0; i--) {
      const entry = this.entries[i];
      if (entry === undefined || entry.serial === serial) return entry;
    }
    return undefined;
  }

  remove(entry: FormattingEntry): void {
    const index = this.entries.lastIndexOf(entry);
    if (index >= 0) this.entries.splice(index, 1);
  }

  /** Puts `entry` behind `bookmark`. */
  insertAfter(bookmark: FormattingEntry, entry: FormattingEntry): void {
    this.entries.splice(this.entries.lastIndexOf(bookmark) + 1, 0, entry);
  }
}
