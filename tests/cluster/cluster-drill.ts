import type { ProgramMutant } from "../attacks/mutant-program.ts";
import type { Drill, DrillOptions, DrillResult } from "../faults/drill.ts";

/** A change of the program, and the problem by which a drill must notice it: others do not count. */
export interface DrillMutant extends ProgramMutant {
  readonly noticedBy: RegExp;
}

/** A drill of the distributed crawl, and what it must notice. */
export interface ClusterDrill extends Omit<Drill, "run"> {
  run(options: DrillOptions & { readonly program?: string }): Promise<DrillResult>;
  /** Each must be noticed: a drill that no change of the program makes fail shows nothing. */
  readonly mutants: readonly DrillMutant[];
}
