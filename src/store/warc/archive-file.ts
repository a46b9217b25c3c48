import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { AppendFile } from "../files/append-file.ts";
import { syncFolder } from "../files/system-calls.ts";

const OPEN = ".open";

/** What names an archive file: nothing that comes from the web (HOSTILE row S5). */
export interface ArchiveFileName {
  folder: string;
  prefix: string;
  thread: number;
}

/** "20260131235959123" of a wall-clock time. */
function stamp17(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\D/g, "");
}

/**
 * One file of the archive. Its name carries ".open" until it is closed: a reader knows that a file
 * without it is complete, and after a crash `recover` knows which tails may be torn.
 */
export class ArchiveFile {
  /** Base name once closed. */
  readonly name: string;
  readonly #folder: string;
  readonly #file: AppendFile;

  constructor({ folder, prefix, thread }: ArchiveFileName, serial: number, wallMs: number) {
    const start = `${prefix.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^\.+/, "_")}-${stamp17(wallMs)}`;
    let free = serial;
    const name = () => `${start}-${String(free).padStart(5, "0")}-${thread}.warc.gz`;
    // rename() replaces silently, so a finished file of this name must not exist.
    while (existsSync(join(folder, name())) || existsSync(join(folder, name() + OPEN))) free++;
    this.name = name();
    this.#folder = folder;
    this.#file = new AppendFile(join(folder, this.name + OPEN), "new");
    syncFolder(folder);
  }

  get size(): number {
    return this.#file.size;
  }

  /** Appends the members of one capture, all or nothing. */
  write(members: Uint8Array): void {
    this.#file.write(members);
  }

  sync(): void {
    this.#file.sync();
  }

  /** Makes the content durable first and the final name second, so that the name never lies. */
  close(): void {
    this.#file.sync();
    this.#file.close();
    const final = join(this.#folder, this.name);
    // A disk that was full from the first byte on leaves nothing that deserves the name of a WARC.
    if (this.#file.size === 0) unlinkSync(final + OPEN);
    else renameSync(final + OPEN, final);
    syncFolder(this.#folder);
  }
}
