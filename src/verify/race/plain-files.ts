import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sourceLine } from "../../store/tree/tree-files.ts";
import type { Tenant, TreeFiles, TreePage } from "../../store/tree/url-tree.ts";

/** Writes as seed 001 did: a file that exists counts as stored, and every write appends. */
export class PlainFiles implements TreeFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  tenant(path: string, _url: string): Tenant {
    return existsSync(join(this.#root, path, "source.txt")) ? "same" : "nobody";
  }

  write(path: string, page: TreePage): void {
    const folder = join(this.#root, path);
    mkdirSync(folder, { recursive: true });
    appendFileSync(join(folder, "content.html"), page.content);
    appendFileSync(join(folder, "source.txt"), `${sourceLine(page.url, page.source)}\n`);
  }
}
