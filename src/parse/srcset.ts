/** One image candidate of a srcset attribute. */
export interface ImageCandidate {
  link: string;
  density?: number;
  widthPixels?: number;
}

const SEPARATORS = /[\t\n\f\r ,]*/y;
const LINK = /[^\t\n\f\r ]*/y;
const TRAILING_COMMAS = /,+$/;
const INTEGER = /^[0-9]+$/;
const FLOAT = /^-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** Parses a srcset attribute (HTML, 4.8.4.3.9): its valid candidates in order. */
export function parseSrcset(text: string): ImageCandidate[] {
  const candidates: ImageCandidate[] = [];
  let at = 0;
  for (;;) {
    SEPARATORS.lastIndex = at;
    at += SEPARATORS.exec(text)![0].length;
    if (at >= text.length) return candidates;
    LINK.lastIndex = at;
    let link = LINK.exec(text)![0];
    at += link.length;
    let descriptors: string[] = [];
    if (link.endsWith(",")) link = link.replace(TRAILING_COMMAS, "");
    else [descriptors, at] = readDescriptors(text, at);
    const candidate = withDescriptors(link, descriptors);
    if (candidate !== undefined) candidates.push(candidate);
  }
}

/** Splits at white space; commas end the list except inside parentheses. */
function readDescriptors(text: string, from: number): [string[], number] {
  const descriptors: string[] = [];
  let inParentheses = false;
  let start = -1;
  let at = from;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (inParentheses) inParentheses = character !== ")";
    else if (character === ",") break;
    else if (/[\t\n\f\r ]/.test(character)) {
      if (start >= 0) descriptors.push(text.slice(start, at));
      start = -1;
      continue;
    } else if (character === "(") inParentheses = true;
    if (start < 0) start = at;
  }
  if (start >= 0) descriptors.push(text.slice(start, at));
  return [descriptors, Math.min(at + 1, text.length)];
}

function withDescriptors(link: string, descriptors: string[]): ImageCandidate | undefined {
  let density: number | undefined;
  let widthPixels: number | undefined;
  let height: number | undefined;
  for (const descriptor of descriptors) {
    const number = descriptor.slice(0, -1);
    const unit = descriptor.at(-1);
    if (unit === "w" && INTEGER.test(number)) {
      if (widthPixels !== undefined || density !== undefined || Number(number) === 0)
        return undefined;
      widthPixels = Number(number);
    } else if (unit === "x" && FLOAT.test(number)) {
      if (widthPixels !== undefined || density !== undefined || height !== undefined)
        return undefined;
      if (Number(number) < 0) return undefined;
      density = Number(number);
    } else if (unit === "h" && INTEGER.test(number)) {
      if (height !== undefined || density !== undefined || Number(number) === 0) return undefined;
      height = Number(number);
    } else return undefined;
  }
  if (height !== undefined && widthPixels === undefined) return undefined;
  return {
    link,
    ...(density === undefined ? {} : { density }),
    ...(widthPixels === undefined ? {} : { widthPixels }),
  };
}
