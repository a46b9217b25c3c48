import { existsSync } from "node:fs";
import { type ArchivedAnswer, Payloads } from "../../store/export/payload.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { PageLine } from "../../store/lists/page-line.ts";

/** The archive of a crawl, page by page; a crawl without one has no answers. */
export class ArchivedPages {
  readonly #payloads: Payloads | undefined;

  constructor(dir: string) {
    this.#payloads = existsSync(crawlPaths(dir).index) ? new Payloads(dir) : undefined;
  }

  /** The answer of a page; undefined when its record, or the whole file, is not to be had. */
  answer({ file, offset }: Pick<PageLine, "file" | "offset">): ArchivedAnswer | undefined {
    try {
      return this.#payloads?.answerAt(file, offset);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw fault;
    }
  }

  close(): void {
    this.#payloads?.close();
  }
}
