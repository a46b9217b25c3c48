import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { root } from "./support/conformance.ts";

const MAX_LINES = 60;
/** Folders of a crawl, which READMEs may name beside those of the source. */
const OUTPUT =
  /^(archive|exports|indexes|links|logs|pages|reports|state|state\/journals|tree|warc)\/$/;

const src = join(root, "src");
const everything = readdirSync(src, { recursive: true, encoding: "utf8" });
const sources = everything.filter((path) => path.endsWith(".ts"));
const readmes = everything.filter((path) => path.endsWith("README.md"));

/** Every word of the code, without its comments. */
const words = new Set(
  sources.flatMap((path) => {
    const code = readFileSync(join(src, path), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/ .*$/gm, "");
    return code.match(/[\w$]+/g) ?? [];
  }),
);

/** What a README puts in backticks; blocks of code are not looked at. */
function spansOf(readme: string): string[] {
  const text = readFileSync(join(src, readme), "utf8").replace(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
}

/** `a/{b,c}-*.ts` as an expression for paths; one star stays within a folder. */
function patternOf(path: string): RegExp {
  const escaped = path
    .replace(/[.+^$()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, (stars) => (stars.length > 1 ? ".*" : "[^/]*"));
  const either = escaped.replace(/\{([^}]*)\}/g, (_, list: string) => {
    return `(${list.replaceAll(",", "|")})`;
  });
  return new RegExp(`^${either}$`);
}

/** Paths below a folder that a span names: from there, or from one of its subfolders. */
function namedBelow(folder: string, span: string): string[] {
  const own = sources.filter((path) => path.startsWith(`${folder}/`));
  if (span.endsWith("/")) return own.filter((path) => path.startsWith(`${folder}/${span}`));
  const direct = own.filter((path) => patternOf(`${folder}/${span}`).test(path));
  return direct.length > 0 ? direct : own.filter((path) => patternOf(`**/${span}`).test(path));
}

/** Whether the file, folder, function or class that a span names is there; true for spans that name none. */
function exists(readme: string, span: string): boolean {
  const folder = dirname(readme);
  if (/^[\w.*{},/-]+\.(ts|mjs|md)$/.test(span)) {
    const isSource = namedBelow(folder, span).length > 0 || sources.some((path) => path === span);
    return isSource || existsSync(join(src, folder, span)) || existsSync(join(root, span));
  }
  if (/^[\w.-]+(\/[\w.-]+)*\/$/.test(span)) {
    const places = [join(src, folder), src, root];
    return OUTPUT.test(span) || places.some((place) => existsSync(join(place, span)));
  }
  // A word in lower case may be a value or a term; with a capital letter or parentheses it is a name of the code.
  const name = /^(\w*[A-Z]\w*|\w+(?=\())(\(.*\))?$/.exec(span)?.[1];
  return name === undefined || words.has(name) || name in globalThis;
}

/** Files of a README's folder, and of subfolders without one of their own. */
function filesOf(readme: string): string[] {
  const folder = dirname(readme);
  const others = readmes
    .map((other) => `${dirname(other)}/`)
    .filter((other) => other.startsWith(`${folder}/`) && other !== `${folder}/`);
  return sources.filter(
    (path) => path.startsWith(`${folder}/`) && !others.some((other) => path.startsWith(other)),
  );
}

for (const readme of readmes) {
  test(`src/${readme} names what is there, and all of it`, () => {
    const spans = spansOf(readme);
    const named = new Set(spans.flatMap((span) => namedBelow(dirname(readme), span)));
    const namedButNotThere = spans.filter((span) => !exists(readme, span));
    const thereButNotNamed = filesOf(readme).filter((path) => !named.has(path));
    const found = { namedButNotThere, thereButNotNamed };
    assert.deepEqual(found, { namedButNotThere: [], thereButNotNamed: [] });
    const lines = readFileSync(join(src, readme), "utf8").trimEnd().split("\n").length;
    assert.ok(lines <= MAX_LINES, `${lines} lines, not ${MAX_LINES}`);
  });
}

test("every room has a README", () => {
  const rooms = new Set(sources.filter((path) => path.includes("/")).map((p) => p.split("/")[0]!));
  assert.deepEqual(
    [...rooms].filter((room) => !existsSync(join(src, room, "README.md"))),
    [],
  );
});

test("README and docs/storage.md say what of an answer is kept and what is not", () => {
  for (const path of ["README.md", "docs/storage.md"]) {
    const text = readFileSync(join(root, path), "utf8");
    for (const word of ["chunk sizes", "trailers", "1xx answers"])
      assert.ok(text.includes(word), `${path}: ${word}`);
  }
});

test("docs/order.md gives the efficiency of slices for each number of keys that was counted", () => {
  const text = readFileSync(join(root, "docs/order.md"), "utf8");
  assert.match(text, /^\| 80,000,000 keys \|/m);
  assert.match(text, /\.93\/\.82/);
});

test("tests/README.md names files and tests that exist", () => {
  const rows = readFileSync(join(root, "tests/README.md"), "utf8").matchAll(
    /^\|[^|]*\| `([^`]+)` \| ([^|]*) \|$/gm,
  );
  let count = 0;
  for (const [, file, names] of rows) {
    const text = readFileSync(join(root, "tests", file!), "utf8");
    for (const [, name] of names!.matchAll(/"([^"]+)"/g)) {
      assert.ok(text.includes(name!), `${file} has no test "${name}"`);
      count++;
    }
  }
  assert.ok(count > 20);
});
