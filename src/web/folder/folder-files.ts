import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { UsageError } from "../../errors.ts";

/** A file with its date, a folder, or another spelling of the path under which the file is served. */
export type Found =
  | { kind: "file"; bytes: Buffer; modifiedMs: number }
  | { kind: "folder" }
  | { kind: "elsewhere"; path: string }
  | undefined;

/** The folder that is served: nothing outside of it is ever read, by dots, encodings or symbolic links. */
export class FolderFiles {
  readonly #root: string;

  constructor(folder: string) {
    try {
      this.#root = realpathSync(folder);
    } catch (error) {
      throw new UsageError(`the folder ${folder} cannot be served: it is not there`, error);
    }
    if (!statSync(this.#root).isDirectory()) throw new UsageError(`${folder} is not a folder`);
  }

  /** What the path of a URL, still percent-encoded, names. */
  find(urlPath: string): Found {
    const file = this.#locate(urlPath);
    if (file === undefined) return undefined;
    try {
      const real = realpathSync(file);
      if (real !== this.#root && !real.startsWith(this.#root + sep)) return undefined;
      const stat = statSync(real);
      if (stat.isDirectory()) return { kind: "folder" };
      // Reading a pipe or a device might never end.
      if (!stat.isFile() || urlPath.endsWith("/")) return undefined;
      const path = encodePath(decodeURIComponent(urlPath));
      if (path !== urlPath) {
        return OTHER_NAME.test(urlPath) ? undefined : { kind: "elsewhere", path };
      }
      return { kind: "file", bytes: readFileSync(real), modifiedMs: stat.mtimeMs };
    } catch {
      return undefined; // gone, unreadable or too long a name: to the client it is not there
    }
  }

  /** Path of the index.html nearest to the top, else of the first HTML file, percent-encoded. */
  startPath(): string | undefined {
    let level = [""];
    let anyHtml: string | undefined;
    while (level.length > 0) {
      const below: string[] = [];
      for (const folder of level) {
        const entries = readdirSync(join(this.#root, folder), { withFileTypes: true });
        const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
        if (names.includes("index.html")) return encodePath(`${folder}/index.html`);
        const html = names.filter((name) => name.endsWith(".html")).sort()[0];
        if (html !== undefined) anyHtml ??= encodePath(`${folder}/${html}`);
        for (const entry of entries) if (entry.isDirectory()) below.push(`${folder}/${entry.name}`);
      }
      level = below.sort();
    }
    return anyHtml;
  }

  /** Number of HTML files; symbolic links are not followed. */
  countPages(): number {
    const names = readdirSync(this.#root, { recursive: true, encoding: "utf8" });
    return names.filter((name) => /\.html?$/i.test(name)).length;
  }

  #locate(urlPath: string): string | undefined {
    let decoded: string[];
    try {
      decoded = urlPath.split("/").map(decodeURIComponent);
    } catch {
      return undefined; // not percent-encoded UTF-8
    }
    for (const segment of decoded) {
      // Dots that the client did not resolve itself, separators and NUL that came in by encoding.
      if (segment === "." || segment === ".." || /[/\0]/.test(segment)) return undefined;
      if (sep === "\\" && /[\\:]/.test(segment)) return undefined;
    }
    return join(this.#root, ...decoded);
  }
}

/**
 * A file's path has one spelling. Those that encode less, or letters, digits and -._~ as well, are the same
 * name and redirect; one that encodes !'()* is another name (RFC 3986, 2.2) and finds nothing.
 */
const OTHER_NAME = /%(?:21|2[789a])/i;

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
