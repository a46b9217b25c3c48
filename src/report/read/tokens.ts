import { UsageError } from "../../errors.ts";

/** Ways to count the tokens of a page. */
export const TOKENS = ["words", "whitespace", "cl100k-like"] as const;

/** A way to count the tokens of a page. */
export type Tokens = (typeof TOKENS)[number];

/** What each way counts, as the report says it. */
export const TOKENS_MEAN: Readonly<Record<Tokens, string>> = {
  words:
    "words of the visible text, as counted while crawling: runs without white space, inline tags do not end them",
  whitespace:
    "runs without white space (any of Unicode) in the visible text; inline tags do not end them",
  "cl100k-like": "tokens of the byte-pair encoding cl100k_base, by gpt-tokenizer",
};

/** Counts the tokens of a text; undefined where the list of pages has the count already. */
export type TokenCounter = ((text: string) => number) | undefined;

/** The counter of a tokeniser; fails with a sentence when its library is not installed. */
export async function openTokens(tokens: Tokens): Promise<TokenCounter> {
  if (tokens === "words") return undefined;
  if (tokens === "whitespace") return countRuns;
  const library = "gpt-tokenizer/encoding/cl100k_base";
  try {
    const { countTokens } = (await import(library)) as { countTokens: (text: string) => number };
    return (text) => countTokens(text);
  } catch (cause) {
    throw new UsageError(
      "--tokens cl100k-like needs the package gpt-tokenizer: npm install gpt-tokenizer, or use --tokens words",
      cause,
    );
  }
}

/** Runs of characters that are no white space. */
function countRuns(text: string): number {
  let runs = 0;
  let wasSpace = true;
  for (let i = 0; i < text.length; i++) {
    const isSpace = isWhiteSpace(text.charCodeAt(i));
    if (wasSpace && !isSpace) runs++;
    wasSpace = isSpace;
  }
  return runs;
}

function isWhiteSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code < 0x2000) return code === 0xa0 || code === 0x85 || code === 0x1680;
  return (
    code <= 0x200a ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}
