import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";

/** The index of an output folder as npm's warcio makes it, sorted. */
export async function foreignIndex(out: string): Promise<string[]> {
  const name: string = "warcio";
  const { CDXIndexer } = await import(name);
  const all: string[] = [];
  for (const filename of readdirSync(join(out, "archive"))) {
    const stream = createReadStream(join(out, "archive", filename));
    const indexer = new CDXIndexer({ format: "cdxj" });
    for await (const entry of indexer.iterIndex([{ filename, reader: Readable.toWeb(stream) }]))
      all.push(indexer.serializeCDXJ(entry).trimEnd());
  }
  return all.sort();
}
