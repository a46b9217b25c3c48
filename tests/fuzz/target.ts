import * as fc from "fast-check";

/** One claim that must hold for every input of its kind. */
export interface FuzzPart {
  readonly name: string;
  readonly property: Checkable;
  /** Judged by time as well: run by the fuzzer, not by the unit tests. */
  readonly timed?: true;
  /** Runs take microseconds, so the unit tests do more. */
  readonly quick?: true;
  /** Runs take milliseconds (sockets, files), so the unit tests do fewer. */
  readonly slow?: true;
}

/** A claim with its own inputs. */
export interface Checkable {
  check(parameters: FuzzParameters): Promise<FuzzResult>;
}

/** How often to check, and from which seed and path on. */
export interface FuzzParameters {
  readonly seed: number;
  readonly runs: number;
  readonly path?: string | undefined;
  readonly timeLimitMs?: number | undefined;
}

/** The result; `failure` names seed, path and the smallest case found. */
export interface FuzzResult {
  readonly runs: number;
  readonly failure: string | undefined;
}

/** A part of the program under fuzz; opened for one session, closed afterwards. */
export interface FuzzTarget {
  readonly name: string;
  open(): Promise<OpenTarget> | OpenTarget;
}

/** What a session may check, and how it ends. */
export interface OpenTarget {
  readonly parts: readonly FuzzPart[];
  close?(): Promise<void> | void;
}

/** Wraps a property of fast-check. */
export function claim<Inputs>(property: fc.IRawProperty<Inputs>): Checkable {
  return {
    async check({ seed, runs, path, timeLimitMs }) {
      const details = await fc.check(property, {
        seed,
        numRuns: runs,
        ...(path !== undefined && { path }),
        ...(timeLimitMs !== undefined && {
          interruptAfterTimeLimit: timeLimitMs,
          markInterruptAsFailure: false,
        }),
      });
      return {
        runs: details.numRuns,
        // Out of time before the first run is no finding.
        failure:
          details.failed && details.counterexample !== null
            ? `${fc.defaultReportMessage(details)}\n${reasonOf(details.errorInstance)}`
            : undefined,
      };
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A parser that must do what the steps of a standard do, in linear time. */
export function parserTarget(
  name: string,
  texts: fc.Arbitrary<string>,
  check: (text: string) => void,
  parse: (text: string) => void,
  characters: number,
): FuzzTarget {
  return {
    name,
    open: () => ({
      parts: [
        { name: "standard", quick: true, property: claim(fc.property(texts, check)) },
        {
          name: "linear",
          timed: true,
          property: linear(texts, parse, { characters, cpuMs: 2000 }),
        },
      ],
    }),
  };
}

/**
 * A claim about time: a unit is repeated up to a size at which anything worse than linear would take many times the
 * limit, which itself is many times what linear code needs.
 */
export function linear(
  unit: fc.Arbitrary<string>,
  run: (text: string) => void,
  limit: { characters: number; cpuMs: number },
): Checkable {
  const property = fc.property(unit, (text) => {
    const repeated = text.repeat(Math.ceil(limit.characters / Math.max(1, text.length)));
    const before = process.cpuUsage();
    run(repeated.slice(0, limit.characters));
    const { user, system } = process.cpuUsage(before);
    const tookMs = (user + system) / 1000;
    if (tookMs > limit.cpuMs) throw new Error(`${Math.round(tookMs)} ms of processor time`);
  });
  return claim(property);
}
