/** How much an experiment does: within seconds, in between, or as much as the document. */
export type LabSize = "quick" | "normal" | "full";

/** A column of a table. */
export interface Column {
  readonly name: string;
  /** "" for numbers without one. */
  readonly unit: string;
  /** Whether equal seeds give equal values: counted, not timed. */
  readonly deterministic: boolean;
}

/** A value in a table; null where a combination does not exist. */
export type Cell = number | string | boolean | null;

/** A table: rows have a cell for every column, in their order. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A plot; its file is EXPERIMENT-NAME.svg. */
export interface LabPlot {
  readonly name: string;
  readonly svg: string;
}

/** A value printed in the document, and ours. */
export interface PaperValue {
  readonly what: string;
  readonly paper: string;
  readonly ours: string;
  /** Whether ours supports the claim; undefined where the two cannot be compared, such as pages per second of another network. */
  readonly agrees?: boolean | undefined;
}

/** The answer to the question, in one sentence that gives the reason. */
export interface Verdict {
  readonly claim: "agrees" | "differs" | "partly";
  readonly why: string;
}

/** What an experiment found. All of it survives JSON. */
export interface Findings {
  /** Sizes, web with its latencies, what was changed against the document. */
  readonly setup: string;
  readonly tables: readonly Table[];
  readonly plots: readonly LabPlot[];
  readonly paper: readonly PaperValue[];
  readonly verdict: Verdict;
  /** Files to write beside the results, such as a configuration; each is EXPERIMENT-NAME. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
  /** What was left out, and what it would need. */
  readonly leftOut?: readonly string[];
}

/** What an experiment is given. */
export interface LabRun {
  readonly seed: number;
  readonly size: LabSize;
  /** A link graph in WebGraph's text form, such as cnr-2000 (`--graph`); without one the graph of our own web serves. */
  readonly graph: string | undefined;
  /** A module with a lock of one's own (`--sync`), which `locks` and `collapse` run beside the product's. */
  readonly sync: string | undefined;
  /** A folder for crawls and files; removed at the end. */
  readonly scratch: string;
  /** Aborted when the user stops: what runs long should look at it. */
  readonly signal: AbortSignal;
  /** One of three values, by size. */
  pick<T>(quick: T, normal: T, full: T): T;
  /** How often to repeat: `--repeat`, or one of these by size. */
  repeats(quick: number, normal: number, full: number): number;
  /** How many steps there will be, for the time left. */
  plan(steps: number): void;
  /**
   * Does a part of the work, or returns what an interrupted run has stored for the same key. The value must survive JSON.
   * Ends with an error between two steps when the user stops.
   */
  step<T>(key: string, work: () => T | Promise<T>): Promise<T>;
}

/** An experiment of one of the documents, or of our own. */
export interface Experiment {
  readonly name: string;
  /** The document it is from, by number, or "ours". */
  readonly document: "000" | "001" | "002" | "003" | "004" | "ours";
  readonly question: string;
  /** About how long it takes on 2 cores. */
  readonly seconds: Readonly<Record<LabSize, number>>;
  run(run: LabRun): Promise<Findings>;
}

/** A column of values that equal seeds repeat. */
export function counted(name: string, unit = ""): Column {
  return { name, unit, deterministic: true };
}

/** A column of values that depend on the machine and the moment. */
export function measured(name: string, unit = ""): Column {
  return { name, unit, deterministic: false };
}
