import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";

const COMMON = {
  smoke: { default: false, help: "run the same code on tiny sizes, in seconds; saves nothing" },
  help: { default: false, help: "print this" },
};

/** The bench that runs, such as frontier/seen. */
const name = `${basename(dirname(process.argv[1]))}/${basename(process.argv[1], ".bench.mjs")}`;

/**
 * Reads the command line of a bench. `options` has one entry per option: `default` decides the type (number, text, flag,
 * or a list separated by commas), `smoke` replaces it under --smoke, `choices` limits it, `help` explains it. A bench with
 * a `result` can --save it. --help prints these and the comment that the file begins with. An unknown option or a wrong
 * value ends the process with exit code 2. Names in the answer are camelCase: --small-pages is smallPages.
 */
export function readArguments({ options = {}, result }) {
  const save = { default: false, help: `write bench/results/${result}.json` };
  const declared = { ...options, ...(result && { save }), ...COMMON };
  const given = parse(declared);
  if (given.help) {
    console.log(helpText(declared));
    process.exit(0);
  }
  if (given.smoke && given.save) refuse("--smoke saves nothing, so --save cannot go with it");
  const values = {};
  for (const [option, declaration] of Object.entries(declared)) {
    const otherwise =
      given.smoke && "smoke" in declaration ? declaration.smoke : declaration.default;
    const camel = option.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());
    values[camel] = option in given ? parseValue(option, given[option], declaration) : otherwise;
  }
  return values;
}

function parse(declared) {
  const options = Object.fromEntries(
    Object.entries(declared).map(([option, { default: value }]) => [
      option,
      { type: typeof value === "boolean" ? "boolean" : "string" },
    ]),
  );
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(error.message.split(". ")[0]);
  }
}

function parseValue(option, text, { default: like, choices }) {
  if (typeof like === "boolean") return text;
  const isList = Array.isArray(like);
  const words = isList ? text.split(",") : [text];
  const wrong = choices && words.find((word) => !choices.includes(word));
  if (wrong !== undefined) refuse(`--${option} is ${choices.join(", ")}, not ${wrong}`);
  const values = words.map((word) => {
    if (typeof (isList ? like[0] : like) !== "number") return word;
    const number = Number(word);
    return word !== "" && number >= 0 ? number : refuse(`--${option} takes numbers, not "${word}"`);
  });
  return isList ? values : values[0];
}

function refuse(reason) {
  console.error(`bench ${name}: ${reason}; --help lists the options`);
  process.exit(2);
}

function helpText(declared) {
  const lines = Object.entries(declared).map(([option, { default: value, help = "" }]) => {
    const shown = typeof value === "boolean" || String(value) === "" ? "" : ` (${value})`;
    return `  --${option.padEnd(14)} ${help}${shown}`;
  });
  return [`bench ${name}`, "", ...firstComment(), "", ...lines].join("\n");
}

function firstComment() {
  const lines = readFileSync(process.argv[1], "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines.slice(0, end).map((line) => line.slice(3));
}
