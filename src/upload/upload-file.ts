import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { OrbweaverError } from "../errors.ts";
import type { ObjectStore, StoredPart } from "./object-store.ts";

/** What an upload does with a file. */
export interface FileUpload {
  readonly path: string;
  readonly key: string;
  readonly bytes: number;
  readonly partBytes: number;
}

/** What became of it. */
export interface UploadedFile {
  readonly sha256: string;
  /** Bytes sent now. */
  readonly sent: number;
  /** The server had it. */
  readonly wasThere: boolean;
}

/** SHA-256 of a file and of each of its parts, in one pass. */
interface FileDigests {
  readonly whole: Buffer;
  readonly parts: readonly Buffer[];
}

/** S3 takes no more parts. */
export const MAX_PARTS = 10_000;

/**
 * Uploads a file unless the server has it: an object with the same length and digest stays, parts of an upload that was
 * interrupted are compared and kept. Afterwards the server is asked for what it has stored.
 */
export async function uploadFile(store: ObjectStore, file: FileUpload): Promise<UploadedFile> {
  const digests = digestsOf(file);
  const sha256 = digests.whole.toString("hex");
  const there = await store.find(file.key);
  if (there?.bytes === file.bytes && there.sha256 === sha256)
    return { sha256, sent: 0, wasThere: true };
  if (file.bytes <= file.partBytes) {
    await store.put(file.key, readPart(file, 0), digests.whole);
    return { sha256, wasThere: false, sent: await verified(store, file, digests, file.bytes) };
  }
  const begun = await store.unfinished(file.key);
  const sent = await inParts(store, file, digests, begun);
  if (begun === undefined || (await isStored(store, file, digests)))
    return { sha256, wasThere: false, sent: await verified(store, file, digests, sent) };
  // What was begun may have been another file of that name.
  const more = await inParts(store, file, digests, undefined);
  return { sha256, wasThere: false, sent: await verified(store, file, digests, sent + more) };
}

async function inParts(
  store: ObjectStore,
  file: FileUpload,
  { whole, parts }: FileDigests,
  begun: string | undefined,
): Promise<number> {
  const upload = begun ?? (await store.begin(file.key, whole.toString("hex")));
  const there = begun === undefined ? new Map() : await store.parts(file.key, upload);
  const stored: StoredPart[] = [];
  let sent = 0;
  for (const [i, digest] of parts.entries()) {
    const checksum = digest.toString("base64");
    const known: StoredPart | undefined = there.get(i + 1);
    if (known?.checksum === checksum) {
      stored.push(known);
      continue;
    }
    const body = readPart(file, i);
    stored.push(await store.putPart(file.key, upload, i + 1, body, checksum));
    sent += body.length;
  }
  await store.complete(file.key, upload, stored);
  return sent;
}

/** The bytes that were sent, once the server is known to have them. */
async function verified(
  store: ObjectStore,
  file: FileUpload,
  digests: FileDigests,
  sent: number,
): Promise<number> {
  if (await isStored(store, file, digests)) return sent;
  throw new OrbweaverError(
    "OW_UPLOAD",
    `${file.key} is not what was sent: the server has another length or digest; upload again`,
  );
}

/** Compares length and digest of what the server says it has; if it says no digest, of what it gives back. */
async function isStored(
  store: ObjectStore,
  file: FileUpload,
  { whole, parts }: FileDigests,
): Promise<boolean> {
  const stored = await store.find(file.key);
  if (stored?.bytes !== file.bytes || stored.sha256 !== whole.toString("hex")) return false;
  if (stored.checksum === undefined) return whole.equals(await store.read(file.key));
  const ofParts = createHash("sha256").update(Buffer.concat(parts)).digest("base64");
  const expected = parts.length === 1 ? whole.toString("base64") : ofParts;
  // Servers write the number of parts behind the digest of their digests.
  return stored.checksum.replace(/-\d+$/, "") === expected;
}

function digestsOf(file: FileUpload): FileDigests {
  const whole = createHash("sha256");
  const parts: Buffer[] = [];
  const count = Math.max(1, Math.ceil(file.bytes / file.partBytes));
  for (let i = 0; i < count; i++) {
    const body = readPart(file, i);
    whole.update(body);
    parts.push(createHash("sha256").update(body).digest());
  }
  return { whole: whole.digest(), parts };
}

function readPart({ path, bytes, partBytes }: FileUpload, index: number): Buffer {
  const start = index * partBytes;
  const body = Buffer.alloc(Math.min(partBytes, bytes - start));
  const file = openSync(path, "r");
  try {
    let at = 0;
    while (at < body.length) {
      const read = readSync(file, body, at, body.length - at, start + at);
      if (read === 0) throw new OrbweaverError("OW_UPLOAD", `${path} became shorter meanwhile`);
      at += read;
    }
  } finally {
    closeSync(file);
  }
  return body;
}
