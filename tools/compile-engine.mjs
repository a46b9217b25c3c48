// Compiles the page engine (src/page-engine/assembly, AssemblyScript) to WebAssembly.
// With a file name and a level (0 to 3) it writes another one: fuzzing compares the levels.
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import asc from "assemblyscript/asc";

const root = resolve(import.meta.dirname, "..");
const [file = join(root, "build", "src", "page-engine", "page-engine.wasm"), level = "3"] =
  process.argv.slice(2);

mkdirSync(dirname(file), { recursive: true });
const { error, stderr } = await asc.main([
  "src/page-engine/assembly/engine-exports.ts",
  ...["--outFile", file, `-O${level}`, "--baseDir", root],
  // Nothing is allocated, and the memory belongs to the caller.
  ...["--runtime", "stub", "--importMemory", "--initialMemory", "80", "--maximumMemory", "80"],
  ...["--enable", "simd", "--noAssert", "--use", "abort="],
]);
if (error !== null) {
  process.stderr.write(`${stderr.toString()}\n${error.message}\n`);
  process.exitCode = 1;
}
