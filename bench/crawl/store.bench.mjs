// CPU time of one builder per capture: archive, index line and page line, writes included.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkSettings, configFrom } from "../../build/src/config/crawl-config.js";
import { Builder } from "../../build/src/store/builder.js";
import { createCrawlFolder } from "../../build/src/store/folder/create-folder.js";
import { LinkList } from "../../build/src/store/link-list.js";
import { treeLockMemory } from "../../build/src/store/tree/tree-writer.js";
import { readArguments } from "../support/arguments.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";

const { captures, repeat } = readArguments({
  options: {
    captures: { default: 3000, smoke: 50, help: "captures per repetition" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});

/** Markup and words of uneven frequency: deflates to about a fifth, as real pages do. */
function html(bytes) {
  let seed = 42;
  const random = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
  };
  const words = Array.from({ length: 2000 }, () => random(2 ** 24).toString(36));
  const word = () => words[random(random(random(2000) + 1) + 1)];
  let text = "<!doctype html><title>Page</title>\n";
  while (text.length < bytes) {
    text += `<li class="item item-type-post"><a class="reference internal" href="/section/${word()}.html"><span class="text">${word()} ${word()}</span></a>\n<p class="summary">`;
    for (let i = 0; i < 8; i++) text += ` ${word()}`;
    text += "</p></li>\n";
  }
  return Buffer.from(text.slice(0, bytes));
}

function capture(bytes, links, coding) {
  const plain = html(bytes);
  const body = coding === "gzip" ? gzipSync(plain) : plain;
  const encoding = coding === "gzip" ? "Content-Encoding: gzip\r\n" : "";
  return {
    kind: "capture",
    url: "http://www.example.com/section/page.html?id=1",
    date: Date.now(),
    ip: "127.0.0.1",
    request: Buffer.from(
      "GET /section/page.html?id=1 HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: Orbweaver/0.1.0 (+mailto:someone@example.com)\r\nAccept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.1\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\r\n",
    ),
    head: Buffer.from(
      `HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 31 Jan 2026 23:59:59 GMT\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: chunked\r\n${encoding}Connection: keep-alive\r\nVary: Accept-Encoding\r\n\r\n`,
    ),
    body,
    bytes: body.length,
    status: 200,
    mime: "text/html",
    dechunked: true,
    page: { title: "Page", words: bytes >> 3, links, charset: "utf-8", language: "en" },
    parent: "http://www.example.com/section/",
    depth: 3,
    via: "link",
    outlinks: LinkList.of(
      Array.from(
        { length: links },
        (_, i) => `http://www.example.com/section/target-${i * 37}.html`,
      ),
    ),
  };
}

/** Each time another body: the archive stores equal ones once. */
function append(builder, sample, number) {
  sample.body.writeInt32LE(number, sample.body.length - 4);
  sample.archived = undefined;
  builder.append(sample);
}

const seeds = ["http://127.0.0.1/"];
const config = configFrom(checkSettings({ seeds }), { typed: seeds });
const cases = [
  ["5 KB identity", capture(5_000, 26, "identity")],
  ["5 KB gzip", capture(5_000, 26, "gzip")],
  ["97 KB identity", capture(97_000, 150, "identity")],
  ["97 KB gzip", capture(97_000, 150, "gzip")],
];
for (const [name, sample] of cases) {
  const figures = [];
  let stored = 0;
  for (let repetition = 0; repetition < repeat; repetition++) {
    const folder = mkdtempSync(join(tmpdir(), "orbweaver-bench-"));
    createCrawlFolder(join(folder, "crawl"));
    const treeLocks = treeLockMemory(1);
    const builder = new Builder({ folder: join(folder, "crawl"), thread: 0, config, treeLocks });
    const warmUp = captures / 10;
    for (let i = 0; i < warmUp; i++) append(builder, sample, -i);
    const micros = cpuMicros(() => {
      for (let i = 0; i < captures; i++) {
        append(builder, sample, i);
        stored = sample.archived.location.offset / (i + warmUp + 1);
      }
      builder.flush();
    });
    figures.push(micros / captures);
    builder.close();
    rmSync(folder, { recursive: true });
  }
  const text = figures.map((us) => us.toFixed(1)).join(" ");
  console.log(
    `${name.padEnd(15)} ${text} us CPU per capture; body ${sample.body.length} B, ${Math.round(stored)} B in the archive`,
  );
}
