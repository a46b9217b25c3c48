import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { AppendFile } from "../../../src/store/files/append-file.ts";
import { openLineMemory } from "../../../src/store/files/line-memory.ts";
import { type LineRun, StringRun } from "../../../src/store/files/line-run.ts";
import { sortLines } from "../../../src/store/files/sort-lines.ts";
import { mergeCdxj } from "../../../src/store/lists/cdxj.ts";
import { freshFolder } from "../sample-capture.ts";

const line = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom("", "a", "a b", "a\u0001", "é", "\uffff", "\u{1f600}", "com,example)/ 2026 {}"),
  )
  // sort(1) treats NUL like any byte; JSON lines never hold one.
  .map((text) => text.replace(/[\n\0]/g, ""));

function systemSort(paths: string[], unique: boolean): Buffer {
  const environment = { ...process.env, LC_ALL: "C" };
  return execFileSync("sort", [...(unique ? ["-u"] : []), "--", ...paths], { env: environment });
}

test("sorts as LC_ALL=C sort does, however small its memory (property)", (t) => {
  const folder = freshFolder(t);
  fc.assert(
    fc.property(
      fc.array(fc.array(line, { maxLength: 40 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 2, max: 5 }),
      fc.boolean(),
      (parts, runBytes, fanIn, unique) => {
        const paths = parts.map((lines, i) => {
          const path = join(folder, `part-${i}`);
          writeFileSync(path, lines.map((l) => `${l}\n`).join(""));
          return path;
        });
        const out = join(folder, "out");
        const wanted = systemSort(paths, unique);
        const waysToSayIt = unique ? [{ sameWhen: (l: string) => l }, { once: true }] : [{}];
        for (const same of waysToSayIt)
          for (const memory of [runBytes, 1_000_000]) {
            const lines = sortLines(paths, out, { runBytes: memory, fanIn, ...same });
            assert.deepEqual(readFileSync(out), wanted);
            assert.equal(lines, wanted.toString("latin1").split("\n").length - 1);
          }
        for (const name of readdirSync(folder)) assert.match(name, /^(out|part-\d)$/);
      },
    ),
    { numRuns: 40 },
  );
});

test("many lines with long beginnings in common, most of them twice, sort like few (property)", (t) => {
  const folder = freshFolder(t);
  const [path, out] = [join(folder, "part"), join(folder, "out")];
  const piece = fc.constantFrom("http://h/", "a", "b", "\u0001", "\u00ff", "/p/", "p".repeat(40));
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 20, maxLength: 300 }), fc.boolean(), (lines, once) => {
      writeFileSync(path, [...lines, ...lines].map((l) => `${l}\n`).join(""), "latin1");
      sortLines([path], out, { once });
      assert.deepEqual(readFileSync(out), systemSort([path], once));
    }),
    { numRuns: 30 },
  );
});

test("an index merges with itself: the output may be an input, equal lines stay one", (t) => {
  const folder = freshFolder(t);
  const [part, out] = [join(folder, "p"), join(folder, "index.cdxj")];
  const lines = Array.from({ length: 5000 }, (_, i) => `com,example)/${(i * 7919) % 5000} 2026 {}`);
  writeFileSync(part, `${lines.join("\n")}\n`);
  mergeCdxj([part], out);
  const once = readFileSync(out, "utf8");
  assert.equal(once, `${lines.sort().join("\n")}\n`);
  mergeCdxj([out, part], out);
  assert.equal(readFileSync(out, "utf8"), once);
});

test("a last line torn by a crash is left out, wherever the chunks fall", (t) => {
  const folder = freshFolder(t);
  const path = join(folder, "part");
  const long = "x".repeat(300_000);
  writeFileSync(path, `b${long}\na${long}\n{"torn`);
  sortLines([path], join(folder, "out"));
  assert.equal(readFileSync(join(folder, "out"), "utf8"), `a${long}\nb${long}\n`);
});

test("lines in a memory of their own come as lines that are strings, run after run, also longer than what is copied at once", () => {
  const memory = openLineMemory();
  assert.ok(memory, "the code was compiled");
  assert.equal(openLineMemory(new URL("./none.wasm", import.meta.url)), undefined);
  const long = fc.constantFrom("x".repeat(300_000), `${"x".repeat(300_000)}a`, "y".repeat(262_143));
  const piece = fc.constantFrom(
    "",
    "a",
    "12345678",
    "\u0000",
    "\t",
    "\u000b",
    "\u00ff",
    "http://h/",
  );
  const text = fc.oneof(
    { weight: 20, arbitrary: fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("")) },
    { weight: 1, arbitrary: long },
  );
  const result = (run: LineRun, once: boolean) => {
    const pieces: Buffer[] = [];
    const file = { write: (bytes: Uint8Array) => pieces.push(Buffer.from(bytes)) };
    const written = run.writeTo(file as unknown as AppendFile, once);
    return [[...run], Buffer.concat(pieces).toString("latin1"), written] as const;
  };
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), fc.boolean(), (lines, once) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1");
      assert.deepEqual(result(memory.sort(bytes), once), result(new StringRun(bytes), once));
    }),
    { numRuns: 300 },
  );
});
