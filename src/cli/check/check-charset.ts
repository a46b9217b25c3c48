import { charsetByMark, charsetOf, FALLBACK_CHARSET } from "../../parse/charset/charset.ts";
import { parseContentType } from "../../parse/charset/content-type.ts";
import { charsetByLabel, prescanCharset } from "../../parse/charset/meta-prescan.ts";
import type { Check } from "./answer.ts";
import { readCheckInput } from "./check-input.ts";

const EXAMPLE = "orbweaver check charset https://example.org/ --file page.html";

/** `orbweaver check charset URL`: how the bytes of a page are read, and what decided it. */
export const check: Check = {
  async *answers(words, args, io) {
    const { url, body, contentType } = await readCheckInput(words, args, io, EXAMPLE);
    const charset = charsetOf(body, contentType);
    const decidedBy = reasonFor(body, contentType);
    yield {
      json: { url, charset, decidedBy },
      rows: [
        ["URL", url],
        ["Content-Type", contentType],
        ["charset", charset],
        ["decided by", decidedBy],
      ],
    };
  },
  /** `{body_b64, contentType?}` gives `{charset}`. */
  batch: () => (question) => ({
    charset: charsetOf(question.neededBytes("body_b64"), question.text("contentType")),
  }),
};

/** What names the encoding: the first of mark, header, meta element and fallback that does. */
function reasonFor(body: Uint8Array, contentType: string | undefined): string {
  if (charsetByMark(body) !== undefined) return "byte order mark";
  const label = contentType === undefined ? undefined : parseContentType(contentType)?.charset;
  if (label !== undefined && charsetByLabel(label) !== undefined) return "Content-Type header";
  return prescanCharset(body) === undefined
    ? `nothing says, so ${FALLBACK_CHARSET} is assumed`
    : "meta element";
}
