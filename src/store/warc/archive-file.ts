import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { type FileWork, syncOfFolder } from "../../runtime/file-work.ts";
import { AppendFile } from "../files/append-file.ts";

/** Suffix of a file that is not closed. */
export const OPEN = ".open";

/** What names an archive file: nothing that comes from the web (HOSTILE row S5). */
export interface ArchiveFileName {
  folder: string;
  prefix: string;
  thread: number;
}

/**
 * One file of the archive. Its name carries ".open" until it is closed: a reader knows that a file without it is
 * complete, and after a crash `recover` knows which ends may be torn.
 */
export class ArchiveFile extends AppendFile {
  /** Base name once closed. */
  readonly name: string;
  readonly #folder: string;
  /** Its name survives a power loss. */
  #isNamed = false;

  constructor(where: ArchiveFileName, serial: number, wallMs: number) {
    const name = freeName(where, serial, wallMs);
    super(join(where.folder, name + OPEN), "new");
    this.name = name;
    this.#folder = where.folder;
  }

  /** A record counts when its file can be found. */
  override *syncing(): FileWork {
    yield* super.syncing();
    if (this.#isNamed) return;
    yield* syncOfFolder(this.#folder);
    this.#isNamed = true;
  }

  /** Makes the content durable first and the final name second, so that the name never lies. */
  override *closing(): FileWork {
    yield* super.syncing();
    yield* super.closing();
    // A disk that was full from the first byte on leaves nothing that deserves the name of a WARC.
    if (this.size === 0) unlinkSync(this.path);
    else renameSync(this.path, join(this.#folder, this.name));
    yield* syncOfFolder(this.#folder);
    this.#isNamed = true;
  }
}

/** A name that is not taken, by a finished file either: rename() would replace it silently. */
function freeName(
  { folder, prefix, thread }: ArchiveFileName,
  from: number,
  wallMs: number,
): string {
  const stamp = new Date(wallMs).toISOString().replace(/\D/g, "");
  const safe = prefix.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^\.+/, "_");
  for (let serial = from; ; serial++) {
    const name = `${safe}-${stamp}-${String(serial).padStart(5, "0")}-${thread}.warc.gz`;
    if (!existsSync(join(folder, name)) && !existsSync(join(folder, name + OPEN))) return name;
  }
}
