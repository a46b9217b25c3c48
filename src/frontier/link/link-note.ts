/*
 * What a handler gave to a URL that it enqueued: one JSON object in ASCII, so that a character is a byte wherever links
 * are written. Links without one cost nothing.
 */

/** What a note says. */
export interface LinkNote {
  readonly label?: string | undefined;
  readonly userData?: Readonly<Record<string, unknown>> | undefined;
}

const BEYOND_ASCII = /[\x7f-\uffff]/g;

/** The note of a label and data. */
export function linkNote(label: string | undefined, userData: LinkNote["userData"]): string {
  const json = JSON.stringify({ label, userData });
  return json.replace(BEYOND_ASCII, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What a note says; of one that cannot be read nothing. */
export function noteOf(note: string | undefined): LinkNote {
  if (note === undefined) return {};
  try {
    return JSON.parse(note) as LinkNote;
  } catch {
    return {};
  }
}
