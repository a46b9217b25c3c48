import type { ProgramMutant } from "../attacks/mutant-program.ts";
import type { Drill, DrillOptions, DrillResult } from "../faults/drill.ts";

/** A drill of the distributed crawl, and what it must notice. */
export interface ClusterDrill extends Omit<Drill, "run"> {
  run(options: DrillOptions & { readonly program?: string }): Promise<DrillResult>;
  /** Each must be noticed: a drill that no change of the program makes fail shows nothing. */
  readonly mutants: readonly ProgramMutant[];
}
