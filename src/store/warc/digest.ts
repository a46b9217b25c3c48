import { createHash, hash } from "node:crypto";
import { latin1Text } from "../../runtime/latin-buffer.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const DIGITS = Buffer.from(ALPHABET);
const SHA1_NAME = "sha1:";
const SHA1_TEXT = Buffer.from(SHA1_NAME.padEnd(SHA1_NAME.length + 32));

/**
 * "sha1:" and base 32 of the bytes. One call costs half of what an object that could take more bytes does, and a string
 * half of what a buffer does.
 */
export function sha1(bytes: Uint8Array): string {
  const digest = hash("sha1", bytes, "binary");
  let at = SHA1_NAME.length;
  for (let i = 0, held = 0, bits = 0; i < digest.length; i++) {
    held = ((held << 8) | digest.charCodeAt(i)) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) SHA1_TEXT[at++] = DIGITS[(held >> (bits - 5)) & 31]!;
  }
  return latin1Text(SHA1_TEXT, 0, SHA1_TEXT.length);
}

/** "sha256:" and hexadecimal of the bytes. */
export function sha256(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes, "hex")}`;
}

/** Base 32 (RFC 4648, upper case, without padding), the form in which archives write SHA-1. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}

/** Longer than the longest digest in its longest form. */
const MAX_VALUE = 200;

/**
 * Whether a digest as found in a WARC header ("algorithm:value", base 32, hexadecimal or base 64)
 * is that of the bytes; undefined when the algorithm is not known here.
 */
export function digestMatches(labelled: string, bytes: Uint8Array): boolean | undefined {
  // As we write it ourselves.
  if (labelled.startsWith(SHA1_NAME) && labelled === sha1(bytes)) return true;
  const colon = labelled.indexOf(":");
  const algorithm = labelled.slice(0, colon).toLowerCase().replace("-", "");
  if (!["md5", "sha1", "sha256", "sha384", "sha512"].includes(algorithm)) return undefined;
  const value = labelled.slice(colon + 1);
  if (value.length > MAX_VALUE) return false;
  const digest = createHash(algorithm).update(bytes).digest();
  const plain = value.replace(/=+$/, "");
  return (
    plain.toUpperCase() === base32(digest) ||
    value.toLowerCase() === digest.toString("hex") ||
    plain === digest.toString("base64").replace(/=+$/, "") ||
    plain === digest.toString("base64url")
  );
}
