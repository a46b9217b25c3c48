import * as fc from "fast-check";

/** A response as bytes, with what its body is. */
export interface ResponseCase {
  stream: Buffer;
  body: string;
  /** The end of the connection is the end of the body. */
  closes: boolean;
}

interface Habits {
  lineEnds: readonly string[];
  versions: readonly string[];
  statuses: readonly string[];
  values: fc.Arbitrary<string>;
  extensions: readonly string[];
}

// Names that change how a response is read are only written where the case means them.
const RESERVED = /^(?:content-length|transfer-encoding|connection|keep-alive|upgrade|trailer)$/i;

const token = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
  .filter((name) => !RESERVED.test(name));
const piece = fc.string({ maxLength: 60, unit: "binary-ascii" });

function responses(habits: Habits): fc.Arbitrary<ResponseCase> {
  return fc
    .record({
      early: fc.nat(2),
      eol: fc.constantFrom(...habits.lineEnds),
      version: fc.constantFrom(...habits.versions),
      status: fc.constantFrom(...habits.statuses),
      fields: fc.array(fc.tuple(token, habits.values), { maxLength: 5 }),
      framing: fc.constantFrom("length", "chunked", "close"),
      pieces: fc.array(fc.tuple(piece, fc.constantFrom(...habits.extensions), fc.boolean()), {
        maxLength: 5,
      }),
      trailer: fc.constantFrom("", "X-Sum: 1"),
    })
    .map(({ early, eol, version, status, fields, framing, pieces, trailer }) => {
      const body = pieces.map(([text]) => text).join("");
      let text = `HTTP/1.1 103 Early Hints${eol}Link: </x>${eol}${eol}`.repeat(early);
      text += `${version} ${status}${eol}`;
      for (const [name, value] of fields) text += `${name}: ${value}${eol}`;
      if (framing === "length") text += `Content-Length: ${body.length}${eol}${eol}${body}`;
      else if (framing === "close") text += `Connection: close${eol}${eol}${body}`;
      else {
        text += `Transfer-Encoding: chunked${eol}${eol}`;
        for (const [chunk, extension, upper] of pieces) {
          if (chunk === "") continue;
          const size = chunk.length.toString(16);
          text += `${upper ? size.toUpperCase() : `0${size}`}${extension}${eol}${chunk}${eol}`;
        }
        text += `0${eol}${trailer === "" ? "" : trailer + eol}${eol}`;
      }
      return { stream: Buffer.from(text, "latin1"), body, closes: framing === "close" };
    });
}

/** What servers get away with: line feeds alone, odd case, missing reasons, white space. */
export const oddResponse = responses({
  lineEnds: ["\r\n", "\n"],
  versions: ["HTTP/1.1", "http/1.1"],
  statuses: ["200 OK", "404", "301  Moved ", "500 \xe9"],
  values: fc.stringMatching(/^[ -~\u00a0-\u00ff]{0,20}$/),
  extensions: ["", ";a=b", "  ", ';q="x"'],
});

/** What RFC 9112 allows, so that every client must read the same. */
export const validResponse = responses({
  lineEnds: ["\r\n"],
  versions: ["HTTP/1.1"],
  statuses: ["200 OK", "404 Not Found", "301 ", "500 Oh no", "299 x y z"],
  values: fc.stringMatching(/^(?:[!-~]([ !-~]{0,18}[!-~])?)?$/),
  extensions: ["", ";a=b", ';q="x"'],
});

/** Where a stream is cut into pieces. */
export const cutPoints = fc.array(fc.nat(400), { maxLength: 12 });

const change = fc.tuple(
  fc.nat(500),
  fc.constantFrom("", "\n", "\r", "\0", ":", " ", "0", "f", "\xff", "\r\n", "\r\n\r\n", ";", "-"),
  fc.nat(2),
);

/** Small changes in a stream, and perhaps an early end. */
export const damage = fc
  .tuple(fc.array(change, { minLength: 1, maxLength: 5 }), fc.option(fc.nat(500)))
  .map(([changes, keep]) => (stream: Buffer) => {
    let text = stream.toString("latin1");
    for (const [at, inserted, removed] of changes)
      text = text.slice(0, at) + inserted + text.slice(at + removed);
    return Buffer.from(keep === null ? text : text.slice(0, Math.max(40, keep)), "latin1");
  });
