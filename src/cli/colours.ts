import type { Output } from "./io.ts";

/** Makes a text stand out on a terminal, or leaves it as it is. */
export type Paint = (text: string) => string;

/** The ways in which a text can stand out. None of them carries a meaning that the words do not. */
export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly green: Paint;
  readonly cyan: Paint;
}

const plain: Paint = (text) => text;
const code = (on: number, off: number): Paint => {
  return (text) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
};

export const NO_COLOURS: Colours = {
  bold: plain,
  dim: plain,
  red: plain,
  yellow: plain,
  green: plain,
  cyan: plain,
};

/** The sixteen colours that every terminal has, so that its own theme decides how they look. */
export const COLOURS: Colours = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  yellow: code(33, 39),
  green: code(32, 39),
  cyan: code(36, 39),
};

/** Colours on a terminal, unless it or its user does not want them: TERM=dumb, NO_COLOR (no-color.org), --no-color. */
export function coloursOf(
  output: Output,
  environment: Readonly<Record<string, string | undefined>>,
  isWanted = true,
): Colours {
  const { NO_COLOR = "", TERM } = environment;
  const isOn = isWanted && output.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
  return isOn ? COLOURS : NO_COLOURS;
}
