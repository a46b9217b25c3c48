import { lastFingerprint } from "../../hash/fingerprint.ts";
import { chunksOf, readLines } from "../files/read-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { writeLines } from "../files/write-lines.ts";
import { partOf } from "../folder/crawl-folder.ts";
import { graphFacts, graphId, graphPaths } from "../folder/graph-facts.ts";
import { EDGE_BYTES, EDGE_WORDS } from "../graph/edge-file.ts";
import { idText } from "../graph/link-log.ts";

const ID_CHARS = 16;
const WHOLE_EDGES = 16 * 1024 * EDGE_BYTES;

/**
 * Writes the finished graph of one crawl as a part of another one's. Ids have the seeds of their crawl, so each is looked
 * up by its place in the sorted list of nodes and made anew from its URL: 16 bytes of memory per node.
 */
export function translateGraph(from: string, to: string, part: number): void {
  const [source, target] = [graphPaths(from), graphPaths(to)];
  const rules = graphFacts(target.facts);
  const ids: bigint[] = [];
  const renamed: number[] = [];
  replaceFile(partOf(target.nodes, part), (file) => writeLines(file, newNames()));
  const old = BigUint64Array.from(ids);
  const words = Uint32Array.from(renamed);
  replaceFile(partOf(target.out, part), (file) => {
    for (const chunk of chunksOf(source.out, WHOLE_EDGES)) {
      // A copy that begins where words may begin.
      const edges = new Uint32Array(new Uint8Array(chunk).buffer);
      for (let at = 0; at < edges.length; at += EDGE_WORDS / 2) {
        const node = indexOf(old, (BigInt(edges[at]!) << 32n) | BigInt(edges[at + 1]!));
        edges[at] = words[2 * node]!;
        edges[at + 1] = words[2 * node + 1]!;
      }
      file.write(new Uint8Array(edges.buffer));
    }
  });

  function* newNames(): Generator<string, void> {
    for (const line of readLines(source.nodes)) {
      const url = line.slice(ID_CHARS + 1);
      graphId(url, rules);
      const { high, low } = lastFingerprint;
      ids.push(BigInt(`0x${line.slice(0, ID_CHARS)}`));
      renamed.push(high >>> 0, low >>> 0);
      yield `${idText(high >>> 0, low >>> 0)} ${url}`;
    }
  }
}

/** Every end of an edge is among the nodes. */
function indexOf(sorted: BigUint64Array, id: bigint): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
