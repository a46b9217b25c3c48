import { EXIT } from "../../errors.ts";
import { charsetByMark, charsetOf, FALLBACK_CHARSET } from "../../parse/charset/charset.ts";
import { parseContentType } from "../../parse/charset/content-type.ts";
import { charsetByLabel, prescanCharset } from "../../parse/charset/meta-prescan.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { printJson, printRows } from "./answer.ts";
import { BadLine, type Question, runBatch } from "./check-batch.ts";
import { readCheckInput } from "./check-input.ts";

const EXAMPLE = "orbweaver check charset https://example.org/ --file page.html";

/** `orbweaver check charset URL`: how the bytes of a page are read, and what decided it. */
export async function checkCharset(
  words: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  if (args.options.get("batch") === true) return runBatch(io, answerCharset);
  const { url, body, contentType } = await readCheckInput(words, args, io, EXAMPLE);
  const charset = charsetOf(body, contentType);
  const decidedBy = reasonFor(body, contentType);
  if (args.options.get("json") === true) printJson(io, { url, charset, decidedBy });
  else {
    printRows(io, [
      ["URL", url],
      ["Content-Type", contentType],
      ["charset", charset],
      ["decided by", decidedBy],
    ]);
  }
  return EXIT.finished;
}

/** The four that are asked, in their order; the first that names an encoding decides. */
function reasonFor(body: Uint8Array, contentType: string | undefined): string {
  if (charsetByMark(body) !== undefined) return "byte order mark";
  const label = contentType === undefined ? undefined : parseContentType(contentType)?.charset;
  if (label !== undefined && charsetByLabel(label) !== undefined) return "Content-Type header";
  return prescanCharset(body) === undefined
    ? `nothing says, so ${FALLBACK_CHARSET} is assumed`
    : "meta element";
}

/** `{body_b64, contentType?}` gives `{charset}`. */
function answerCharset(question: Question): object {
  const body = question.bytes("body_b64");
  if (body === undefined) throw new BadLine('"body_b64" is missing');
  return { charset: charsetOf(body, question.text("contentType")) };
}
