import { TRAP_REASONS, type TrapReason } from "./trap-verdict.ts";

/** A verdict as journals keep it, for all threads and later runs. */
export interface KeptVerdict {
  readonly reason: TrapReason;
  /** The host, or for `trap_same_text` the registrable domain. */
  readonly place: string;
  /** The family of URLs at that host; undefined when the verdict is about all of them. */
  readonly family: string | undefined;
}

/** As bytes: reason, place and family, with a space between them. Neither reason nor place holds one. */
export function encodeVerdict({ reason, place, family }: KeptVerdict): Uint8Array {
  const words = family === undefined ? [reason, place] : [reason, place, family];
  return Buffer.from(words.join(" "), "utf8");
}

/** Undefined for a reason that this version does not know. */
export function decodeVerdict(bytes: Uint8Array): KeptVerdict | undefined {
  const text = Buffer.from(bytes).toString("utf8");
  const [, word, place, family] = /^(\S+) (\S+)(?: (.*))?$/s.exec(text) ?? [];
  const reason = TRAP_REASONS.find((known) => known === word);
  return reason === undefined ? undefined : { reason, place: place!, family };
}
