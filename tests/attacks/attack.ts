import type { ProgramMutant } from "./mutant-program.ts";

/** How much of an attack is run: what CI has time for, everything, or the least that shows a mutant. */
export type AttackSize = "short" | "full" | "mutant";

/** How an attack is run. */
export interface AttackOptions {
  /** The program under attack: `main.js` of the build, or of a mutant. */
  readonly program: string;
  readonly size: AttackSize;
  readonly seed: number;
  /** In place of the number of folders of this size (X4). */
  readonly times?: number;
  /** Which variants of a long row are run, by their names (X3, X9, X14); absent: all. */
  readonly isWanted?: (variant: string) => boolean;
  /** Called with a word about what is done now. */
  readonly onStep?: (step: string) => void;
}

/** What an attack found: a row of figures per variant, and every promise that was broken. */
export interface AttackResult {
  readonly figures: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  readonly problems: readonly string[];
}

/**
 * A row of the hostile web: X1 to X14, bad servers, name servers or folders; W1 to W6, whoever reaches a dashboard. The crawler
 * is a real process.
 */
export interface Attack {
  readonly row: string;
  readonly what: string;
  run(options: AttackOptions): Promise<AttackResult>;
  /** Each must be noticed: an attack that no change of the program makes fail shows nothing. */
  readonly mutants: readonly ProgramMutant[];
}
