import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { readRecords } from "../support/archive.ts";
import { readLines } from "../support/orbweaver.ts";

/** The little of npm's warcio that is used; its own declarations need packages we do not have. */
interface Warcio {
  WARCParser: {
    iterRecords(
      source: ReadableStream<Uint8Array>,
      options: object,
    ): AsyncIterable<{ warcType?: string; readFully(decode: boolean): Promise<Uint8Array> }>;
  };
}
const warcioName: string = "warcio";
const { WARCParser } = (await import(warcioName)) as Warcio;

/** What is wrong with an archive: our strict reader and warcio must read the same records to their ends. */
export async function archiveProblems(out: string): Promise<string[]> {
  const folder = join(out, "archive");
  const ours = readRecords(folder);
  const problems = ours.flatMap(({ uri, problems: found }) => found.map((p) => `${uri}: ${p}`));
  let theirs = 0;
  for (const file of readdirSync(folder)) {
    const stream = Readable.toWeb(createReadStream(join(folder, file)));
    const source = stream as unknown as ReadableStream<Uint8Array>;
    for await (const record of WARCParser.iterRecords(source, { strictHeaders: false })) {
      await record.readFully(false);
      theirs++;
    }
  }
  if (theirs !== ours.length) problems.push(`we read ${ours.length} records, warcio ${theirs}`);
  return [...problems, ...lineProblems(out)];
}

/** Index and lists hold one object per line, whatever stood in URLs, types and titles. */
function lineProblems(out: string): string[] {
  const problems: string[] = [];
  for (const file of ["logs/crawl.jsonl", "pages/pages.jsonl", "reports/skipped.jsonl"]) {
    readLines(join(out, file)); // throws at a line that is no JSON
    if (/[\r\u0085\u2028\u2029]/.test(readFileSync(join(out, file), "utf8"))) {
      problems.push(`${file} holds a raw line end inside a line`);
    }
  }
  const index = readFileSync(join(out, "indexes/index.cdxj"), "latin1").split("\n");
  for (const line of index.filter((text) => text !== "")) {
    if (!/^[\x21-\x7e]+ \d{14} \{.*\}$/.test(line)) problems.push(`bad index line ${line}`);
  }
  return problems;
}

/** Where a secret is written down outside the bodies and heads that servers sent. */
export function secretsIn(out: string, secret: string): string[] {
  const found: string[] = [];
  for (const file of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (!/\.(jsonl?|cdxj|html|yaml)$/.test(file)) continue;
    if (readFileSync(join(out, file), "utf8").includes(secret)) found.push(file);
  }
  for (const { uri, type, headers, block } of readRecords(join(out, "archive"))) {
    const text = [...headers.values(), type === "response" ? "" : block.toString("latin1")];
    if (text.some((part) => part.includes(secret))) found.push(`${type} record of ${uri}`);
  }
  return found;
}
