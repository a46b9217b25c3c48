import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/** The finished steps of an experiment, one line of JSON each, so that a run that is cut off goes on behind the last. */
export class StepLog {
  readonly #file: string;
  readonly #values = new Map<string, unknown>();

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
      if (entry !== undefined) this.#values.set(entry.key, entry.value);
    }
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  /** Stores a value and returns it as it will be read: what JSON loses is lost at once, not only after a stop. */
  put(key: string, value: unknown): unknown {
    const line = JSON.stringify({ key, value });
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${line}\n`);
    const entry = parsed(line)!;
    this.#values.set(key, entry.value);
    return entry.value;
  }

  /** Every step and what it came to, in the order in which they were done. */
  all(): { key: string; value: unknown }[] {
    return [...this.#values].map(([key, value]) => ({ key, value }));
  }

  remove(): void {
    rmSync(this.#file, { force: true });
    this.#values.clear();
  }
}

/** The last line of a run that was killed may be cut. */
function parsed(line: string): { key: string; value: unknown } | undefined {
  try {
    const entry = JSON.parse(line);
    return typeof entry?.key === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
}
