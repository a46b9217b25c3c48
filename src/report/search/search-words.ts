/** A word: letters and digits together, or one sign of a script that puts no spaces between words. */
const WORD = /[\u2e80-\u9fff\uac00-\ud7af]|(?:(?![\u2e80-\u9fff\uac00-\ud7af])[\p{L}\p{N}])+/gu;
const MARKS = /\p{M}+/gu;
const ASCII = /^[\0-\x7f]*$/;
const MAX_CHARACTERS = 64;

/** A text in which case and accents do not matter: "Über" is "uber". */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return ASCII.test(lower) ? lower : lower.normalize("NFKD").replace(MARKS, "");
}

/** The distinct words of a text, folded. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const word of folded(text).match(WORD) ?? []) words.add(word.slice(0, MAX_CHARACTERS));
  return words;
}
