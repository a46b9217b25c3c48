import { createHash } from "node:crypto";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { safeUri } from "../files/safe-text.ts";
import type { TreePlace } from "./url-tree.ts";

/*
 * Where a URL belongs in the indexed URL tree:
 *
 *   https://en.wikipedia.org/wiki/Ant?x=1   pr-https/do-en/do-wikipedia/do-org/dr-wiki/dr-Ant/qu-x=1
 *
 * Every level has a prefix, so no name is "..", "CON" or "content.html", and /a and /a/b do not clash as file and
 * folder. Names are ASCII: composed and decomposed letters are different percent-escapes. "~" begins what was hashed.
 */

const MAX_NAME_BYTES = 200;
const MAX_LEVELS = 32;
// Far below the 4,096 bytes that a path may have, with room for the folder the tree is in.
const MAX_PATH_BYTES = 2048;
const NOT_PLAIN = /[^A-Za-z0-9._!$&'()+,;=@%-]|%|\.$/g;
// Escapes that the encoding below never makes itself: bytes beyond ASCII.
const FOREIGN_ESCAPE = /^%[89A-Fa-f][0-9A-Fa-f]/;
const URL_PARTS =
  /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(\?[^#]*)?/i;

/** A name of one level: reserved bytes as percent-escapes, so that different texts have different names. */
function nameOf(text: string): string {
  return text.replace(NOT_PLAIN, (char: string, at: number) => {
    if (char === "%" && FOREIGN_ESCAPE.test(text.slice(at, at + 3))) return char;
    return Buffer.from(char).toString("hex").toUpperCase().replace(/../g, "%$&");
  });
}

function hashed(text: string): string {
  return `~${createHash("sha256").update(text).digest("hex")}`;
}

/** The names of all levels of a URL, none longer than a file name may be. */
function levelsOf(url: string): string[] {
  const parts = URL_PARTS.exec(url);
  // Only what canonicalisation never lets through.
  if (parts === null) return [`ur-${hashed(url)}`];
  const [, scheme, host, port, path, query] = parts as unknown as [string, ...string[]];
  const labels = host!.startsWith("[") ? [host!] : host!.split(".");
  const folders = path === "" || path === "/" ? [] : path!.slice(1).split("/");
  const level = (prefix: string) => (text: string) => {
    const name = nameOf(text);
    return prefix + (name.length > MAX_NAME_BYTES ? hashed(text) : name);
  };
  return [
    level("pr-")(scheme!.toLowerCase()),
    ...labels.map(level("do-")),
    ...(port ? [level("po-")(port)] : []),
    ...folders.map(level("dr-")),
    ...(query === undefined ? [] : [level("qu-")(query.slice(1))]),
  ];
}

/** Folds what is too deep or too long into one last level. */
function folded(levels: readonly string[]): string[] {
  let bytes = 0;
  const kept = levels.findIndex((name, i) => {
    bytes += name.length + 1;
    return bytes > MAX_PATH_BYTES || (i === MAX_LEVELS - 1 && levels.length > MAX_LEVELS);
  });
  if (kept < 0) return [...levels];
  const rest = levels.slice(kept);
  return [...levels.slice(0, kept), rest[0]!.slice(0, 3) + hashed(rest.join("/"))];
}

/** The place of a URL in the tree; total: whatever comes in, the place is below the root. */
export function treePlace(url: string): TreePlace {
  const safe = safeUri(url);
  const path = folded(levelsOf(safe)).join("/");
  // Paths that differ in case only share a lock, because some disks take them for one.
  fingerprint(path.toLowerCase(), 0, 0);
  const tag = createHash("sha256").update(safe).digest("hex").slice(0, 16);
  return { path, second: `${path}~${tag}`, hash: lastFingerprint.low | 0 };
}
