import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Files of the archive, also those that their run left open: a long crawl's are too large for memory. */
export class OpenArchives {
  readonly #folder: string;
  readonly #files = new Map<string, number | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The URL that the record at this place is about; undefined when there is no whole record. */
  targetOf(file: string, offset: number, length: number): string | undefined {
    if (file.startsWith("tree/")) return this.#pageOf(file);
    const bytes = this.#read(file, offset, length);
    try {
      const text = gunzipSync(bytes!).toString("latin1");
      const head = text.slice(0, text.indexOf("\r\n\r\n") + 2);
      if (!head.startsWith("WARC/1.1\r\n")) return undefined;
      return /\r\nWARC-Target-URI: ([^\r\n]*)\r\n/.exec(head)?.[1];
    } catch {
      return undefined;
    }
  }

  /** The same for a page of a URL tree, whose folder lies beside the archive. */
  #pageOf(file: string): string | undefined {
    const path = join(this.#folder, "..", file);
    const source = join(dirname(path), "source.txt");
    if (!existsSync(path) || !existsSync(source)) return undefined;
    return readFileSync(source, "latin1").split("\t", 1)[0];
  }

  close(): void {
    for (const opened of this.#files.values()) if (opened !== undefined) closeSync(opened);
  }

  #read(file: string, offset: number, length: number): Buffer | undefined {
    if (!this.#files.has(file)) {
      const paths = [file, `${file}.open`].map((name) => join(this.#folder, name));
      const path = paths.find((each) => existsSync(each));
      this.#files.set(file, path === undefined ? undefined : openSync(path, "r"));
    }
    const opened = this.#files.get(file);
    if (opened === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(opened, bytes, 0, length, offset));
  }
}
