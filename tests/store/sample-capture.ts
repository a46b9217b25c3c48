import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import type { CrawlConfig } from "../../src/config/schema.ts";
import { Builder } from "../../src/store/builder.ts";
import type { Capture } from "../../src/store/capture.ts";
import { LinkList } from "../../src/store/link-list.ts";
import { treeLockMemory } from "../../src/store/tree/tree-writer.ts";
import { Archive, type ArchiveOptions } from "../../src/store/warc/archive.ts";
import { readWarc, type WarcRecord } from "../../src/store/warc/warc-reader.ts";
import type { WriterOptions } from "../../src/store/writer.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

/** A new folder that is removed when the test ends. */
export function freshFolder(t: TestContext): string {
  // A disk in memory, where there is one: syncs cost nothing there, and nobody here pulls the plug.
  const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = mkdtempSync(join(parent, "orbweaver-store-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Any string as if the url room had made it. */
export const url = (text: string): CrawlUrl => text as CrawlUrl;

/** A head as the store sees it: a text with a character for each byte. */
export function sampleHead(status: number, text: string, find = (_name: string) => -1) {
  const copyTo = (into: Buffer, at: number) => void into.write(text, at, "latin1");
  return { status, text, length: text.length, copyTo, find };
}

/** A capture whose links may be given one by one. */
export type SampleChanges = Omit<Partial<Capture>, "kind" | "outlinks"> & {
  outlinks?: readonly string[];
};

/** A small page, with whatever the test wants to be different. */
export function sampleCapture({ outlinks, ...changes }: SampleChanges = {}): Capture {
  const body = changes.body ?? Buffer.from("<title>Hi</title><p>some words");
  const mime = changes.mime ?? "text/html";
  return {
    kind: "capture",
    url: url("http://example.com/"),
    date: Date.UTC(2026, 0, 31, 23, 59, 59, 123),
    ip: "127.0.0.1",
    request: Buffer.from("GET / HTTP/1.1\r\nHost: example.com\r\nUser-Agent: test\r\n\r\n"),
    head: Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: ${mime}\r\nContent-Length: ${body.length}\r\n\r\n`,
    ),
    body,
    bytes: body.length,
    status: 200,
    mime,
    dechunked: false,
    depth: 0,
    via: "seed",
    outlinks: LinkList.of(outlinks ?? []),
    ...changes,
  };
}

/** Options of an archive in that folder. */
export function sampleOptions(
  folder: string,
  changes: Partial<ArchiveOptions> = {},
): ArchiveOptions {
  return {
    folder,
    prefix: "test",
    thread: 0,
    level: 1,
    rotateBytes: 1e9,
    software: "orbweaver/test",
    info: { robots: "obey" },
    ...changes,
  };
}

/** What a builder of a crawl may be given. */
export type BuilderChanges = Partial<Pick<WriterOptions, "thread" | "treeLocks" | "doWork">> &
  Partial<Pick<CrawlConfig, "store" | "rotatePages">>;

/** What a writer of the crawl in that folder is opened with. */
export function writerOptions(folder: string, changes: BuilderChanges = {}): WriterOptions {
  const { thread = 0, treeLocks = treeLockMemory(1), doWork, ...settings } = changes;
  const seeds = ["http://127.0.0.1/"];
  const config = configFrom(checkSettings({ seeds, ...settings }), { typed: seeds });
  return { folder, thread, treeLocks, config, doWork };
}

/** A builder of the crawl in that folder. */
export function sampleBuilder(folder: string, changes: BuilderChanges = {}): Builder {
  return new Builder(writerOptions(folder, changes));
}

/** Writes the captures into one archive and reads back all its files. */
export function writeAndRead(
  folder: string,
  captures: readonly Capture[],
  changes: Partial<ArchiveOptions> = {},
): { files: string[]; records: WarcRecord[] } {
  const archive = new Archive(sampleOptions(folder, changes));
  for (const capture of captures) archive.append(capture);
  archive.close();
  const files = readdirSync(folder).sort();
  return { files, records: files.flatMap((file) => [...readWarc(join(folder, file))]) };
}
