import type { Operation } from "./operations.ts";

/** Names that say where a word lies, not what it is. */
const PLACES = /^(at|i|index|word|from|base|offset|position|slot|stripe|owner|thread)$/i;

/**
 * What the code calls a word, from the text of its index: "LOCK" and "at + LOCK" give "lock", "this.#notFull" gives
 * "notFull". Undefined where the text only says where it lies.
 */
export function labelOf(indexText: string): string | undefined {
  const [last] = /[A-Za-z_]\w*$/.exec(indexText.trim()) ?? [];
  if (last === undefined || PLACES.test(last) || /words?$/i.test(last)) return undefined;
  if (!/^[A-Z][A-Z0-9_]*$/.test(last)) return last;
  return last.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A word for people: its name in the configuration, or what the code calls it, or its number. */
export function wordName(
  { byte, label }: Pick<Operation, "byte" | "label">,
  names: readonly string[] | undefined,
): string {
  const cell = byte >> 2;
  const name = names?.[cell];
  if (name !== undefined && name !== "") return name;
  return label === undefined ? `word ${cell}` : `${label} (word ${cell})`;
}
