import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { UsageError } from "../../errors.ts";
import { GrowingInts } from "../../runtime/growing-ints.ts";
import { hostRanges, type LinkGraph } from "./graph.ts";

const MAX_PAGES = 2 ** 27;

/**
 * Reads a graph in WebGraph's text form, gzipped or not: the number of nodes, then one line of successors
 * per node. The file streams through; only the arrays of the graph are held.
 */
export async function readGraphFile(file: string, hosts: number): Promise<LinkGraph> {
  const targets = new GrowingInts();
  let offsets: Uint32Array | undefined;
  let line = 0;
  let number = -1;
  const wrong = (why: string) => new UsageError(`${file}, line ${line + 1}: ${why}`);
  const endNumber = (): void => {
    if (number < 0) return;
    if (line === 0) {
      if (offsets || number < 1 || number > MAX_PAGES)
        throw wrong("the first line must be the number of nodes");
      offsets = new Uint32Array(number + 1);
    } else if (number >= offsets!.length - 1) throw wrong(`there is no node ${number}`);
    else targets.push(number);
    number = -1;
  };
  const endLine = (): void => {
    endNumber();
    if (!offsets) throw wrong("the first line must be the number of nodes");
    // Beyond the last node only blank lines are of no harm.
    if (line >= offsets.length) {
      if (targets.length > offsets[offsets.length - 1]!)
        throw wrong("there are more lines than nodes");
    } else offsets[line] = targets.length;
    line++;
  };

  const source = createReadStream(file);
  const bytes = file.endsWith(".gz") ? source.pipe(createGunzip()) : source;
  source.on("error", (error) => bytes.destroy(error)); // pipe does not hand errors on
  let lastByte = 0x0a;
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (byte >= 0x30 && byte <= 0x39) {
          number = (number < 0 ? 0 : number * 10) + byte - 0x30;
          if (number > MAX_PAGES) throw wrong("the number is too large");
        } else if (byte === 0x0a) endLine();
        else if (byte === 0x20 || byte === 0x09 || byte === 0x0d) endNumber();
        else throw wrong("only numbers and blanks are allowed");
      }
      if (chunk.length > 0) lastByte = chunk[chunk.length - 1]!;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the graph ${file} cannot be read: ${why}`, error);
  }
  if (lastByte !== 0x0a) endLine();
  if (!offsets || line < offsets.length) throw wrong("the file ends before its last node");

  const pages = offsets.length - 1;
  if (hosts > pages) throw new UsageError(`${file} has ${pages} nodes: too few for ${hosts} hosts`);
  // Sizes of sites follow a power law too: host h gets a share of 1 / (h + 1).
  const weights = Array.from({ length: hosts }, (_, host) => 1 / (host + 1));
  return {
    pages,
    offsets,
    targets: new Uint32Array(targets.toArray().buffer),
    firstOfHost: hostRanges(pages, weights),
  };
}
