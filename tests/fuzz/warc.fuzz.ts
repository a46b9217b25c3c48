import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import { Archive } from "../../src/store/warc/archive.ts";
import { readWarc, type WarcRecord } from "../../src/store/warc/warc-reader.ts";
import { sampleCapture, sampleOptions, url } from "../store/sample-capture.ts";
import { claim, type FuzzTarget } from "./target.ts";

/** The little of npm's warcio that is used; its own declarations need packages we do not have. */
interface Warcio {
  WARCParser: {
    iterRecords(
      source: ReadableStream<Uint8Array>,
      options: object,
    ): AsyncIterable<{ warcType?: string; readFully(decode: boolean): Promise<Uint8Array> }>;
  };
}

const page = fc.record({
  path: fc.webPath(),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .constantFrom("WARC/1.1\r\n\r\n", "\r\n\r\n\r\n", "\x1f\x8b\x08", "")
      .map((text) => Buffer.from(text, "latin1")),
  ),
});
const pages = fc.array(page, { minLength: 1, maxLength: 4 });
const change = fc.tuple(fc.nat(), fc.constantFrom("flip", "insert", "remove", "zero"), fc.nat(255));

/** Files of a session, one at a time. */
class Scratch {
  readonly #folder = mkdtempSync(join(tmpdir(), "orbweaver-fuzz-"));
  #count = 0;

  /** The bytes of an archive of these pages. */
  archive(captures: readonly { path: string; body: Uint8Array }[]): Buffer {
    const folder = join(this.#folder, `${this.#count++}`);
    mkdirSync(folder);
    const archive = new Archive(sampleOptions(folder));
    for (const { path, body } of captures) {
      archive.append(
        sampleCapture({ url: url(`http://example.com${path}`), body: Buffer.from(body) }),
      );
    }
    archive.close();
    const bytes = readFileSync(join(folder, readdirSync(folder)[0]!));
    rmSync(folder, { recursive: true });
    return bytes;
  }

  read(bytes: Uint8Array): WarcRecord[] {
    const file = join(this.#folder, "file");
    writeFileSync(file, bytes);
    return [...readWarc(file, { maxRecordBytes: 1_000_000 })];
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function spoil(bytes: Buffer, changes: readonly [number, string, number][]): Buffer {
  let spoiled = bytes;
  for (const [where, how, value] of changes) {
    const at = where % (spoiled.length + 1);
    const before = spoiled.subarray(0, at);
    if (how === "insert") spoiled = Buffer.concat([before, Buffer.of(value), spoiled.subarray(at)]);
    else if (how === "remove")
      spoiled = Buffer.concat([before, spoiled.subarray(at + 1 + (value & 15))]);
    else {
      spoiled = Buffer.from(spoiled);
      if (at < spoiled.length) spoiled[at] = how === "zero" ? 0 : spoiled[at]! ^ (1 << (value & 7));
    }
  }
  return spoiled;
}

/** Records come in order and do not overlap, and no byte is passed over unless the damage before it was told. */
function covers(records: readonly WarcRecord[], length: number): void {
  let end = 0;
  let told = false;
  for (const { offset, length: bytes, problems } of records) {
    assert.ok(offset === end || (offset > end && told), `${end} is followed by ${offset}`);
    assert.ok(offset + bytes <= length);
    end = offset + bytes;
    told = problems.length > 0;
  }
  assert.ok(end === length || told, `the end at ${end} of ${length} is silent`);
}

/** The reader of archives: it reads what warcio reads, and survives and reports any damage. */
export const warcTarget: FuzzTarget = {
  name: "warc",
  async open() {
    const scratch = new Scratch();
    const name: string = "warcio";
    const { WARCParser } = (await import(name)) as Warcio;
    // Made once: to write an archive costs a hundred times what reading it does.
    const archives = fc
      .sample(pages, { numRuns: 8, seed: 1 })
      .map((captures) => scratch.archive(captures))
      .flatMap((bytes) => [bytes, gunzipSync(bytes)]);
    return {
      close: () => scratch.close(),
      parts: [
        {
          name: "warcio",
          slow: true,
          property: claim(
            fc.asyncProperty(pages, fc.boolean(), async (captures, zipped) => {
              const bytes = scratch.archive(captures);
              const file = zipped ? bytes : gunzipSync(bytes);
              const ours = scratch.read(file);
              assert.deepEqual(
                ours.flatMap(({ problems }) => problems),
                [],
              );
              const theirs: [string | undefined, string][] = [];
              const source = Readable.toWeb(Readable.from([file])) as ReadableStream<Uint8Array>;
              for await (const record of WARCParser.iterRecords(source, { parseHttp: false }))
                theirs.push([
                  record.warcType,
                  Buffer.from(await record.readFully(false)).toString("hex"),
                ]);
              assert.deepEqual(
                ours.map(({ type, block }) => [type, block.toString("hex")]),
                theirs,
              );
            }),
          ),
        },
        {
          name: "damaged",
          property: claim(
            fc.property(
              fc.constantFrom(...archives),
              fc.array(change, { maxLength: 4 }),
              fc.option(fc.nat()),
              (bytes, changes, cut) => {
                const spoiled = spoil(bytes, changes);
                const file =
                  cut === null ? spoiled : spoiled.subarray(0, cut % (spoiled.length + 1));
                covers(scratch.read(file), file.length);
              },
            ),
          ),
        },
        {
          name: "any-bytes",
          property: claim(
            fc.property(
              fc.array(
                fc.oneof(
                  fc
                    .constantFrom(
                      "WARC/1.1\r\n",
                      "WARC/1.0\n",
                      "Content-Length: 3\r\n",
                      "Content-Length: -1\r\n",
                      "Content-Length: 99999999999\r\n",
                      "WARC-Type: response\r\n",
                      "\r\n",
                      "\r\n\r\n",
                      "\x1f\x8b\x08\0\0\0\0\0\0\x03",
                    )
                    .map((text) => Buffer.from(text, "latin1")),
                  fc.uint8Array({ maxLength: 20 }),
                ),
                { maxLength: 30 },
              ),
              (parts) => {
                const file = Buffer.concat(parts);
                covers(scratch.read(file), file.length);
              },
            ),
          ),
        },
      ],
    };
  },
};
