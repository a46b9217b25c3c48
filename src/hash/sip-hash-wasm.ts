import { compiledCode } from "../runtime/compiled-code.ts";
import { makePlainSipHash, type SipHash } from "./sip-hash.ts";

/** The fastest implementation on this platform. */
export function makeSipHash(): SipHash {
  try {
    return makeWasmSipHash();
  } catch {
    return makePlainSipHash();
  }
}

/** As a WebAssembly module with a memory of its own: `assembly/sip-hash-code.ts`. */
export function makeWasmSipHash(
  file: URL = new URL("./sip-hash-code.wasm", import.meta.url),
): SipHash {
  return compiledCode<SipHash>(file)();
}
