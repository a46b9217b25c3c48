import { readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { closedFiles } from "../store/export/closed-files.ts";
import { finalizeIfLeft } from "../store/finish/finalize.ts";
import { readCrawlState } from "../store/folder/crawl-folder.ts";
import { lockFolder } from "../store/folder/folder-lock.ts";
import { noCrawl } from "../store/folder/no-crawl.ts";
import type { ObjectStore } from "./object-store.ts";
import { MAX_PARTS, uploadFile } from "./upload-file.ts";

/** How a folder is uploaded. */
export interface UploadOptions {
  /** Before the names of all objects, without slashes at its ends; "" for none. */
  readonly prefix: string;
  readonly partBytes: number;
  readonly onFile?: ((name: string, wasThere: boolean, bytes: number) => void) | undefined;
}

/** What was uploaded. */
export interface UploadSummary {
  readonly files: number;
  readonly bytes: number;
  /** Of these, sent now; the others were there. */
  readonly sentFiles: number;
  readonly sentBytes: number;
}

/** The list of all objects with their digests; written last, so that it is there only when all others are. */
export const MANIFEST = "upload.json";

/** Files of one process, or of a moment. */
const PASSING = /^state\/lock$|\.part$|\.open$/;

/** At the same time: most files are small, and the answers of a server take their time. */
const FILES_AT_ONCE = 4;

/** Uploads the folder of a crawl, which nobody may change meanwhile. */
export async function uploadFolder(
  dir: string,
  store: ObjectStore,
  options: UploadOptions,
): Promise<UploadSummary> {
  if (readCrawlState(dir) === undefined) throw noCrawl(dir);
  finalizeIfLeft(dir);
  // A crawl that runs holds it.
  const lock = lockFolder(dir);
  try {
    closedFiles(dir);
    return await uploadFiles(dir, store, options);
  } finally {
    lock.release();
  }
}

async function uploadFiles(
  dir: string,
  store: ObjectStore,
  { prefix, partBytes, onFile }: UploadOptions,
): Promise<UploadSummary> {
  const keyOf = (name: string) => (prefix === "" ? name : `${prefix}/${name}`);
  const waiting = filesOf(dir);
  const done: { name: string; bytes: number; sha256: string }[] = [];
  let sentFiles = 0;
  let sentBytes = 0;
  const next = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const path = join(dir, name);
      const { size: bytes } = statSync(path);
      const part = Math.max(partBytes, Math.ceil(bytes / MAX_PARTS));
      const { sha256, sent, wasThere } = await uploadFile(store, {
        ...{ path, key: keyOf(name), bytes, partBytes: part },
      });
      done.push({ name, bytes, sha256 });
      if (!wasThere) sentFiles++;
      sentBytes += sent;
      onFile?.(name, wasThere, bytes);
    }
  };
  // All of them end before a fault is told, so that nothing goes on behind the caller's back.
  const ends = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, next));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  done.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = done.length;
  const bytes = done.reduce((sum, file) => sum + file.bytes, 0);
  await writeManifest(store, keyOf(MANIFEST), { files, bytes, objects: done });
  return { files, bytes, sentFiles, sentBytes };
}

async function writeManifest(store: ObjectStore, key: string, manifest: object): Promise<void> {
  const { createHash } = await import("node:crypto");
  const body = Buffer.from(
    `${JSON.stringify({ format: "orbweaver-upload", version: 1, ...manifest }, null, 1)}\n`,
  );
  await store.put(key, body, createHash("sha256").update(body).digest());
}

/** Names of all files below a folder, with slashes, the archive first. */
function filesOf(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((name) => !PASSING.test(name));
  const isArchive = (name: string) => (name.startsWith("archive/") ? 0 : 1);
  return names.sort((a, b) => isArchive(a) - isArchive(b) || (a < b ? -1 : 1));
}
