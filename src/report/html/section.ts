/** A part of the report with a heading of its own. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly html: string;
}
