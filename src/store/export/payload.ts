import { join } from "node:path";
import { surtKey } from "../../url/surt.ts";
import { FileWindow } from "../files/file-window.ts";
import { SortedLines } from "../files/sorted-lines.ts";
import { cdxjFields } from "../lists/cdxj.ts";
import { headOf } from "../warc/archived-head.ts";
import { plainBody } from "../warc/plain-body.ts";
import { readRecordAt, type WarcRecord } from "../warc/warc-reader.ts";

/** Reads the bodies of pages out of an archive; a revisit leads to the record that holds its payload. */
export class Payloads {
  readonly #archive: string;
  readonly #index: SortedLines;
  readonly #open = new Map<string, FileWindow>();

  constructor(archive: string, index: string) {
    this.#archive = archive;
    this.#index = new SortedLines(index);
  }

  /** The body of the page at this place as a browser would see it; undefined when it is not to be had. */
  at(file: string, offset: number): Uint8Array | undefined {
    const record = this.#record(file, offset);
    const whole = record?.type === "revisit" ? this.#referred(record) : record;
    return whole?.type === "response" ? bodyOf(whole) : undefined;
  }

  close(): void {
    this.#index.close();
    for (const file of this.#open.values()) file.close();
  }

  #referred({ headers }: WarcRecord): WarcRecord | undefined {
    const uri = headers.get("warc-refers-to-target-uri") ?? "";
    const time = (headers.get("warc-refers-to-date") ?? "").replace(/\D/g, "").slice(0, 14);
    for (const line of this.#index.all(`${surtKey(uri)} ${time} `)) {
      const { url, mime, filename, offset } = cdxjFields(line);
      if (url !== uri || mime === "warc/revisit") continue;
      const record = this.#record(filename!, Number(offset));
      if (record?.headers.get("warc-record-id") === headers.get("warc-refers-to")) return record;
    }
    return undefined;
  }

  #record(file: string, offset: number): WarcRecord | undefined {
    let window = this.#open.get(file);
    if (window === undefined) {
      // Archives have many files, a process few places for open ones.
      for (const [name, other] of this.#open) {
        if (this.#open.size < 8) break;
        other.close();
        this.#open.delete(name);
      }
      window = new FileWindow(join(this.#archive, file));
      this.#open.set(file, window);
    }
    return readRecordAt(window, offset);
  }
}

function bodyOf({ block }: WarcRecord): Uint8Array {
  const head = headOf(block);
  return plainBody(Buffer.from(head, "latin1"), block.subarray(head.length));
}
