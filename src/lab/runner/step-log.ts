import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/** A step that is done: what it came to, and how long it took. */
export interface DoneStep {
  readonly key: string;
  readonly seconds: number;
  readonly value: unknown;
}

/** The finished steps of an experiment, one line of JSON each, so that a run that is cut off goes on behind the last. */
export class StepLog {
  readonly #file: string;
  readonly #steps = new Map<string, DoneStep>();

  constructor(file: string) {
    this.#file = file;
    let text = "";
    try {
      text = readFileSync(file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    for (const line of text.split("\n")) {
      const entry = parsed(line);
      if (entry !== undefined) this.#steps.set(entry.key, entry);
    }
  }

  has(key: string): boolean {
    return this.#steps.has(key);
  }

  get(key: string): unknown {
    return this.#steps.get(key)?.value;
  }

  /** Stores a value and returns it as it will be read: what JSON loses is lost at once, not only after a stop. */
  put(step: DoneStep): unknown {
    const line = JSON.stringify(step);
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${line}\n`);
    const entry = parsed(line)!;
    this.#steps.set(entry.key, entry);
    return entry.value;
  }

  /** Every step, in the order in which they were done. */
  all(): DoneStep[] {
    return [...this.#steps.values()];
  }

  remove(): void {
    rmSync(this.#file, { force: true });
    this.#steps.clear();
  }
}

/** The last line of a run that was killed may be cut. */
function parsed(line: string): DoneStep | undefined {
  try {
    const entry = JSON.parse(line);
    return typeof entry?.key === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
}
