import { readFileSync } from "node:fs";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Every file that is served, by its path: nothing else can be asked for, whatever a path looks like. */
const FILES: Readonly<Record<string, string>> = {
  "/": "index.html",
  ...Object.fromEntries(
    [
      ...["app.js", "api.js", "charts.js", "controls.js", "format.js", "hosts.js", "lists.js"],
      ...["graph.js", "style.css", "icon.svg", "vendor/uPlot.esm.js", "vendor/uPlot.min.css"],
    ].map((file) => [`/${file}`, file]),
  ),
};

/** A file of the page. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const read = new Map<string, StaticFile>();

/** The file of a path; undefined when there is none. Each is read once. */
export function staticFile(path: string): StaticFile | undefined {
  const name = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (name === undefined) return undefined;
  let file = read.get(name);
  if (file === undefined) {
    const bytes = readFileSync(new URL(`./public/${name}`, import.meta.url));
    file = { type: TYPES[name.slice(name.lastIndexOf(".") + 1)]!, bytes };
    read.set(name, file);
  }
  return file;
}
