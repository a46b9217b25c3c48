/** What lengthens a history. */
export const STEP = { result: 0, enter: 1, leave: 2, head: 3, heap: 4, fresh: 5 } as const;

/**
 * Histories as numbers: the same parent, kind and value always give the same number, so equal numbers mean equal
 * histories, without any chance of collision.
 */
export class Histories {
  readonly #known = new Map<string, number>();

  /** The history that continues another one. */
  extend(parent: number, step: number, key: string): number {
    const text = `${parent}|${step}|${key}`;
    let id = this.#known.get(text);
    if (id === undefined) {
      id = this.#known.size + 1;
      this.#known.set(text, id);
    }
    return id;
  }
}

/** A text that two values share if and only if code cannot tell them apart; undefined for what has identity. */
export function valueKey(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "string":
      return JSON.stringify(value);
    case "boolean":
    case "undefined":
      return String(value);
    default:
      return value === null ? "null" : undefined;
  }
}
