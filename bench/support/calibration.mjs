import { openSync, writeSync } from "node:fs";
import { parsePage } from "../../build/src/parse/page.js";

const PAGES = 16;
const WRITES = 400;
const READS = 4000;
const url = "http://127.0.0.1:8080/section/3/17/";
const items = Array.from(
  { length: 12 },
  (_, i) => `<li><a href="/p/${977 * i}.html">page</a></li>`,
);
const words = "a page of some words that are counted one by one ".repeat(60);
const page = Buffer.from(
  `<!doctype html><title>A page</title><ul>${items.join("")}</ul><p>${words}`,
);
const nowhere = openSync("/dev/null", "w");
/** Larger than the caches of a core. */
const memory = new Int32Array(1 << 23).fill(1);
let state = 1;

function work() {
  for (let i = 0; i < PAGES; i++) parsePage(page, url);
  for (let i = 0; i < WRITES; i++) writeSync(nowhere, page, 0, 512);
  for (let i = 0; i < READS; i++) {
    // Each read depends on the one before.
    state = (Math.imul(state, 1664525) + 1013904222 + memory[state >>> 9]) | 0;
  }
}

/**
 * CPU microseconds for a fixed piece of work of the kinds a crawl is made of: parsing pages, system calls, memory beyond the
 * cache. Other programs that run at the same time slow it down as they slow down a crawl.
 */
export function calibrate() {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

// Let the compiler finish before anything is measured.
for (let i = 0; i < 200; i++) work();
