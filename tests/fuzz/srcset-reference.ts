// The HTML standard's "parse a srcset attribute" (4.8.4.4.10 in its present numbering), step by step with its states
// and nothing clever: what the shorter implementation is compared with.

/** One candidate; absent descriptors are undefined. */
export interface ReferenceCandidate {
  link: string;
  density: number | undefined;
  width: number | undefined;
}

const WHITE = "\t\n\f\r ";

/** The candidates that the standard's steps give. */
export function referenceSrcset(input: string): ReferenceCandidate[] {
  const candidates: ReferenceCandidate[] = [];
  let position = 0;
  for (;;) {
    while (position < input.length && `${WHITE},`.includes(input[position]!)) position++;
    if (position >= input.length) return candidates;
    let link = "";
    while (position < input.length && !WHITE.includes(input[position]!)) link += input[position++];
    let descriptors: string[] = [];
    if (link.endsWith(",")) while (link.endsWith(",")) link = link.slice(0, -1);
    else {
      const tokens = tokenize(input, position);
      descriptors = tokens.descriptors;
      position = tokens.position;
    }
    const candidate = judge(link, descriptors);
    if (candidate !== undefined) candidates.push(candidate);
  }
}

function tokenize(input: string, from: number): { descriptors: string[]; position: number } {
  const descriptors: string[] = [];
  let position = from;
  while (position < input.length && WHITE.includes(input[position]!)) position++;
  let current = "";
  let state: "in descriptor" | "in parens" | "after descriptor" = "in descriptor";
  for (;;) {
    const c = input[position];
    if (state === "in descriptor") {
      if (c !== undefined && WHITE.includes(c)) {
        if (current !== "") {
          descriptors.push(current);
          current = "";
          state = "after descriptor";
        }
      } else if (c === ",") {
        position++;
        if (current !== "") descriptors.push(current);
        return { descriptors, position };
      } else if (c === "(") {
        current += c;
        state = "in parens";
      } else if (c === undefined) {
        if (current !== "") descriptors.push(current);
        return { descriptors, position };
      } else current += c;
    } else if (state === "in parens") {
      if (c === ")") {
        current += c;
        state = "in descriptor";
      } else if (c === undefined) {
        descriptors.push(current);
        return { descriptors, position };
      } else current += c;
    } else if (c === undefined) return { descriptors, position };
    else if (!WHITE.includes(c)) {
      state = "in descriptor";
      continue; // the character is looked at again
    }
    position++;
  }
}

function judge(link: string, descriptors: readonly string[]): ReferenceCandidate | undefined {
  let error = false;
  let width: number | undefined;
  let density: number | undefined;
  let future: number | undefined;
  for (const descriptor of descriptors) {
    const value = descriptor.slice(0, -1);
    const integer = /^[0-9]+$/.test(value);
    const float = /^-?(?:[0-9]*\.)?[0-9]+(?:[eE][+-]?[0-9]+)?$/.test(value);
    if (descriptor.endsWith("w") && integer) {
      if (width !== undefined || density !== undefined) error = true;
      if (Number(value) === 0) error = true;
      else width = Number(value);
    } else if (descriptor.endsWith("x") && float) {
      if (width !== undefined || density !== undefined || future !== undefined) error = true;
      if (Number(value) < 0) error = true;
      else density = Number(value);
    } else if (descriptor.endsWith("h") && integer) {
      if (future !== undefined || density !== undefined) error = true;
      if (Number(value) === 0) error = true;
      else future = Number(value);
    } else error = true;
  }
  if (future !== undefined && width === undefined) error = true;
  return error ? undefined : { link, density, width };
}
