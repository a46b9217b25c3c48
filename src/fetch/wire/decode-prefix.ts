import type { Transform } from "node:stream";
import type zlib from "node:zlib";
import type { DecodeResult } from "./decode.ts";

const PIECES = 256;

interface Pass {
  parts: Buffer[];
  /** Input taken without complaint. */
  goodBytes: number;
  outcome: "whole" | "full" | "error";
}

/**
 * Feeds a decoder `body` up to `from` at once and then in pieces. zlib throws away what it made from the piece
 * in which it finds an error, which is why the pieces matter.
 */
function feed(
  decoder: Transform,
  body: Buffer,
  from: number,
  pieceBytes: number,
  cap: number,
): Promise<Pass> {
  return new Promise((resolve) => {
    const pass: Pass = { parts: [], goodBytes: 0, outcome: "whole" };
    let room = cap;
    const settle = (outcome: Pass["outcome"]) => {
      pass.outcome = outcome;
      decoder.destroy();
      resolve(pass);
    };
    decoder.on("data", (part: Buffer) => {
      if (room < 0) return;
      pass.parts.push(part.length > room ? part.subarray(0, room) : part);
      room -= part.length;
      if (room < 0) settle("full");
    });
    decoder.on("error", () => settle("error"));
    decoder.on("end", () => settle("whole"));
    const next = (start: number, end: number) => {
      decoder.write(body.subarray(start, end), (error) => {
        if (error || room < 0) return;
        pass.goodBytes = end;
        if (end === body.length) decoder.end();
        else next(end, Math.min(end + pieceBytes, body.length));
      });
    };
    next(0, from > 0 ? from : Math.min(pieceBytes, body.length));
  });
}

/** Decodes the longest good beginning of a damaged body, to the byte, in a few passes of ever smaller pieces. */
export async function decodePrefix(
  body: Buffer,
  create: (options: zlib.ZlibOptions) => Transform,
  cap: number,
): Promise<DecodeResult> {
  let goodBytes = 0;
  let pieceBytes = Math.max(1, Math.ceil(body.length / PIECES));
  for (;;) {
    const decoder = create({ chunkSize: 64 * 1024 });
    const pass = await feed(decoder, body, goodBytes, pieceBytes, cap);
    const bytes = Buffer.concat(pass.parts);
    if (pass.outcome === "full") return { bytes, flag: "body_too_large", truncated: "length" };
    // An error at the very end means that the stream stops too early: there is nothing to narrow down.
    if (pass.outcome === "whole" || pieceBytes === 1 || pass.goodBytes === body.length) {
      return pass.outcome === "whole" ? { bytes } : { bytes, flag: "encoding_error" };
    }
    goodBytes = pass.goodBytes;
    pieceBytes = Math.ceil(pieceBytes / PIECES);
  }
}
