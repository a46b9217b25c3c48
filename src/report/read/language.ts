/** Finds the language of a text as a code of two letters; "" when it cannot be told. */
export interface LanguageDetector {
  /** Its library and version, or "none". */
  readonly name: string;
  detect(text: string): string;
}

/** So much text is enough, and more would only take longer. */
const SAMPLE_CHARACTERS = 240;

/** What the library has, as far as it is used. */
interface Eld {
  detect(text: string): { readonly language: string; isReliable(): boolean };
}

/** Loads `eld`, an optional dependency; without it no language is detected. */
export async function openDetector(): Promise<LanguageDetector> {
  // The smallest of its tables: others are no better on paragraphs and take twice the memory.
  const library = "eld/extrasmall";
  try {
    const { eld } = (await import(library)) as { eld: Eld };
    return {
      name: "eld extrasmall",
      detect(text) {
        const result = eld.detect(sampleOf(text));
        return result.isReliable() ? result.language : "";
      },
    };
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw fault;
    return { name: "none", detect: () => "" };
  }
}

/** The middle of a text: what surrounds it is mostly navigation. */
function sampleOf(text: string): string {
  if (text.length <= SAMPLE_CHARACTERS) return text;
  const from = (text.length - SAMPLE_CHARACTERS) >> 1;
  return text.slice(from, from + SAMPLE_CHARACTERS);
}
