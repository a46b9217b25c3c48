/** What the process is told to do. */
export interface LibraryTask {
  /** Address of the library's main file. */
  readonly library: string;
  /** The seed: a web of few pages, or one that takes longer than it is between two progress events. */
  readonly seed: string;
  readonly folder: string;
  readonly times: number;
  readonly threads: number;
  readonly frontier: "sharded" | "shared";
  /** How every crawl ends; "by turns" takes one fault after the other. */
  readonly ending: "finished" | "stopped" | "never run" | "by turns" | `throws in ${string}`;
}

/** What it prints after each crawl. */
export interface LibraryLine {
  /** How the promise was settled: the summary's ending, or the error's message. */
  readonly settled: string;
  readonly rssMiB: number;
  readonly sharedMiB: number;
  readonly files: number;
}

/** A listener of progress throws when so many pages are committed. */
export const SOME_PAGES = 5;
