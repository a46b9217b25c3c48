import type { Tenant, TreeFiles, TreePage } from "../../store/tree/url-tree.ts";
import { report } from "../scenario.ts";

/** How often the file appeared, and whether its data is complete. */
export const FILE = 0;
export const DATA = 1;

/** One path of a tree in two words, as a disk keeps it: data under another name first, then the name. */
export class WordTree implements TreeFiles {
  readonly #words: Int32Array;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  tenant(_path: string, _url: string): Tenant {
    return Atomics.load(this.#words, FILE) === 0 ? "nobody" : "same";
  }

  write(_path: string, _page: TreePage): void {
    Atomics.store(this.#words, DATA, 1);
    Atomics.add(this.#words, FILE, 1);
    report(1);
  }
}
