// Compiles what is written in AssemblyScript (the folders named assembly) to WebAssembly: the page engine, and the small
// codes of the hash, of the set of known URLs, of the words, and of what is sorted at the end. With a folder and a level (0 to 3) it writes all of them
// there instead: fuzzing compares the levels.
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import asc from "assemblyscript/asc";

const root = resolve(import.meta.dirname, "..");
const [folder, level = "3"] = process.argv.slice(2);

// By source: where the result goes, and its memory. The engine's belongs to its caller; the others have one of their own,
// in pages of 64 KiB: 7 before the pages of the seen-set, 17 for a text run of 1 MiB.
const CODES = {
  "src/page-engine/assembly/engine-exports.ts": [
    "src/page-engine/page-engine.wasm",
    ["--importMemory", "--initialMemory", "185", "--maximumMemory", "185"],
  ],
  "src/hash/assembly/sip-hash-code.ts": ["src/hash/sip-hash-code.wasm", ["--initialMemory", "1"]],
  "src/frontier/seen/assembly/seen-code.ts": [
    "src/frontier/seen/seen-code.wasm",
    ["--initialMemory", "7"],
  ],
  "src/store/templates/assembly/store-exports.ts": [
    "src/store/templates/page-templates.wasm",
    ["--importMemory", "--initialMemory", "192", "--maximumMemory", "192"],
  ],
  "src/store/files/assembly/order-lines-code.ts": [
    "src/store/files/order-lines-code.wasm",
    ["--initialMemory", "5"],
  ],
  "src/store/graph/assembly/order-edges-code.ts": [
    "src/store/graph/order-edges-code.wasm",
    ["--initialMemory", "5"],
  ],
  "src/store/lists/assembly/log-pages-code.ts": [
    "src/store/lists/log-pages-code.wasm",
    ["--initialMemory", "2"],
  ],
  "src/parse/words/assembly/text-run-code.ts": [
    "src/parse/words/text-run-code.wasm",
    ["--initialMemory", "17"],
  ],
};

for (const [source, [result, memory]] of Object.entries(CODES)) {
  const file = join(folder ?? join(root, "build"), result);
  mkdirSync(dirname(file), { recursive: true });
  const { error, stderr } = await asc.main([
    ...[source, "--outFile", file, `-O${level}`, "--baseDir", root],
    // Nothing is allocated.
    ...[...memory, "--runtime", "stub", "--enable", "simd", "--noAssert", "--use", "abort="],
  ]);
  if (error !== null) {
    process.stderr.write(`${stderr.toString()}\n${error.message}\n`);
    process.exitCode = 1;
  }
}
