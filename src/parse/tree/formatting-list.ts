import type { FoundLink } from "../harvest.ts";

/** Older entries are dropped, so that reopening stays bounded. */
const MAX_ENTRIES = 32;
const NOAHS_ARK = 3;

/** A formatting element that may have to be opened again. */
export interface FormattingEntry {
  id: number;
  serial: number;
  /** The bytes of its tag; equal tags count as the same element. */
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

  /** Removes everything up to the last marker. */
  clearToMarker(): void {
    while (this.entries.length > 0 && this.entries.pop() !== undefined);
  }

  add(entry: FormattingEntry): void {
    let equal = 0;
    let length = 0;
    for (let i = this.entries.length - 1; i >= 0; i--, length++) {
      const other = this.entries[i];
      if (other === undefined) break;
      if (other.id === entry.id && other.tag === entry.tag) equal++;
      if (equal < NOAHS_ARK && length < MAX_ENTRIES) continue;
      this.entries.splice(i, 1);
      break;
    }
    this.entries.push(entry);
  }

  /** The newest entry of this name after the last marker. */
  find(id: number): FormattingEntry | undefined {
    return this.entries.findLast((entry) => entry === undefined || entry.id === id);
  }

  /** The entry of an element after the last marker. */
  bySerial(serial: number): FormattingEntry | undefined {
    return this.entries.findLast((entry) => entry === undefined || entry.serial === serial);
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
