import { compiledCode, WASM_PAGE_BYTES } from "../../runtime/compiled-code.ts";
import { EDGE_WORDS } from "./edge-file.ts";

/** What `assembly/order-edges-code.ts` exports. */
interface OrderCode {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly EDGES_AT: { readonly value: number };
  readonly BYTES_OF_EDGE: { readonly value: number };
  order(edges: number): void;
  putReversed(): number;
  putForward(): number;
}

/** Edges in a memory of their own, where they are sorted once and read in both orders. */
export class EdgeOrder {
  readonly #code: OrderCode;
  /** Where edges are to be put, and found. */
  readonly edges: Uint32Array;

  constructor(edges: number, file: URL) {
    this.#code = compiledCode<OrderCode>(file)();
    const { memory, EDGES_AT, BYTES_OF_EDGE } = this.#code;
    const bytes = EDGES_AT.value + edges * BYTES_OF_EDGE.value - memory.buffer.byteLength;
    if (bytes > 0) memory.grow(Math.ceil(bytes / WASM_PAGE_BYTES));
    this.edges = new Uint32Array(memory.buffer, EDGES_AT.value, edges * EDGE_WORDS);
  }

  /** Takes the first edges, so many. */
  order(edges: number): void {
    this.#code.order(edges);
  }

  /** The edges as (target, source) in their order, each once; valid until the next call. */
  reversed(): Uint32Array {
    return this.edges.subarray(0, this.#code.putReversed() * EDGE_WORDS);
  }

  /** The edges as (source, target) in their order, each once; valid until the next call. */
  forward(): Uint32Array {
    return this.edges.subarray(0, this.#code.putForward() * EDGE_WORDS);
  }
}

/** Memory for so many edges; undefined without the code (after `tsc` alone), without WebAssembly, or without memory. */
export function openEdgeOrder(
  edges: number,
  file: URL = new URL("./order-edges-code.wasm", import.meta.url),
): EdgeOrder | undefined {
  try {
    return new EdgeOrder(edges, file);
  } catch {
    return undefined;
  }
}
