// The HTML standard's "shared declarative refresh steps", written as it writes them: one position, one step after
// the other. The implementation it is compared with uses expressions instead.

const WHITE = "\t\n\f\r ";
const DIGITS = "0123456789";

/** The seconds and the link that the standard's steps give; undefined where they return without effect. */
export function referenceRefresh(
  input: string,
): { seconds: number; link: string | undefined } | undefined {
  let position = 0;
  const at = (set: string) => position < input.length && set.includes(input[position]!);
  const skipWhite = () => {
    while (at(WHITE)) position++;
  };
  skipWhite();
  let digits = "";
  while (at(DIGITS)) digits += input[position++];
  let seconds = 0;
  if (digits === "") {
    if (!at(".")) return undefined;
  } else seconds = Number(digits);
  while (at(`${DIGITS}.`)) position++;
  if (position >= input.length) return { seconds, link: undefined };
  if (!at(`;,${WHITE}`)) return undefined;
  skipWhite();
  if (at(";,")) position++;
  skipWhite();
  if (position >= input.length) return { seconds, link: undefined };
  let link = input.slice(position);
  for (const letter of ["Uu", "Rr", "Ll"]) {
    if (!at(letter)) return { seconds, link: skipQuotes(letter === "Uu") };
    position++;
  }
  skipWhite();
  if (!at("=")) return { seconds, link };
  position++;
  skipWhite();
  return { seconds, link: skipQuotes(true) };

  // Only reached with the whole rest as the link when a letter of "url" had begun and then failed.
  function skipQuotes(here: boolean): string {
    if (!here) return link;
    const quote = at("'\"") ? input[position++] : "";
    link = input.slice(position);
    const end = quote === "" ? -1 : link.indexOf(quote!);
    return end < 0 ? link : link.slice(0, end);
  }
}
