import { readFileSync } from "node:fs";

/** The part of the platform's WebAssembly that is used here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

/** A page of a WebAssembly memory. */
export const WASM_PAGE_BYTES = 1 << 16;

/**
 * Compiles a file that `tools/compile-engine.mjs` has made of AssemblyScript. Each call of the result makes an instance
 * with its own memory and returns its exports. Throws where the file is missing (after `tsc` alone) or WebAssembly is
 * (`--jitless`), and an instance also when a limit (`ulimit -v`) refuses the 10 GB of addresses that each memory
 * reserves: callers need a fallback.
 */
export function compiledCode<Exports>(file: URL): () => Exports {
  const module = new WebAssembly.Module(readFileSync(file));
  return () => new WebAssembly.Instance(module).exports as Exports;
}
