import assert from "node:assert/strict";
import { test } from "node:test";
import { ExchangeSize } from "../../../src/frontier/opic/exchange-size.ts";

/** One superstep: pages of range 50 are taken, and so many of others are heard of that were worth more. */
function superstep(
  exchange: ExchangeSize,
  missed: number,
  more: (exchange: ExchangeSize) => void = () => {},
): void {
  for (let i = 0; i < missed; i++) exchange.learned(60);
  more(exchange);
  for (let isOver = false; !isOver; ) {
    exchange.taken(50);
    isOver = exchange.visited();
  }
}

/** A crawl that is no longer young, and in which nothing came too late. */
function grown(): ExchangeSize {
  const exchange = new ExchangeSize();
  while (exchange.visits < 64 * 1024) superstep(exchange, 0);
  return exchange;
}

test("the size grows while nothing comes too late, with the crawl and up to a bound", () => {
  const exchange = new ExchangeSize();
  assert.equal(exchange.size, 1, "in the beginning everything is isNew");
  for (const visits of [128, 640, 6400, 32_000]) {
    while (exchange.visits < visits) superstep(exchange, 0);
    assert.equal(exchange.size, Math.floor(exchange.visits / 64));
    assert.equal(exchange.tolerable, exchange.size);
  }
  assert.equal(grown().size, 1024);
  const old = grown();
  for (let i = 0; i < 20; i++) superstep(old, 0);
  assert.deepEqual([old.size, old.tolerable > 1024], [1024, true]);
});

test("what is owed to pages that would be taken now leaves soon, the rest with the next exchange", () => {
  const exchange = grown();
  const visitsWith = (owe: () => void) => {
    const before = exchange.visits;
    superstep(exchange, 0, owe);
    return exchange.visits - before;
  };
  const owe = (pages: number, range: number) => () => {
    for (let i = 0; i < pages; i++) exchange.owes(range);
  };
  assert.equal(visitsWith(owe(100, 49)), 1024);
  assert.equal(visitsWith(owe(10, 50)), 16);
  assert.equal(visitsWith(owe(1, 50)), 16, "one of 16 is more than 2.5 %");
  assert.equal(visitsWith(owe(0, 50)), 1024, "what has left is owed no longer");
  const raised = () => {
    exchange.owes(48);
    exchange.owes(50, 48);
  };
  assert.equal(visitsWith(raised), 16);
});

test("pages whose turn comes because others are done become urgent", () => {
  const exchange = grown();
  exchange.owes(45);
  let visits = 0;
  do {
    exchange.taken(Math.max(40, 50 - visits));
    visits++;
  } while (!exchange.visited());
  assert.ok(visits < 40, `${visits} visits`);
});

test("it shrinks when more than 5 % of the pages should have given way to others, down to a bound", () => {
  const exchange = grown();
  superstep(exchange, 1024); // all of them
  assert.equal(exchange.size, 512);
  assert.equal(exchange.error, 0.25);
  for (let i = 0; i < 20; i++) superstep(exchange, exchange.size);
  assert.equal(exchange.size, 16);
});

test("an error between half of the limit and the limit changes nothing", () => {
  const exchange = grown();
  for (let i = 0; i < 30; i++) superstep(exchange, Math.round(0.04 * exchange.size));
  assert.ok(exchange.size === 1024 && exchange.error > 0.025 && exchange.error < 0.05);
  const before = exchange.size;
  superstep(exchange, Math.round(0.04 * exchange.size));
  assert.equal(exchange.size, before);
});

test("what would not have gone before the pages taken is no error, nor is what was in front already", () => {
  const exchange = new ExchangeSize();
  const harmless = (at: ExchangeSize) => {
    for (let i = 0; i < 100; i++) {
      at.learned(50);
      at.learned(10);
      at.learned(80, 70);
    }
  };
  for (let i = 0; i < 4; i++) superstep(exchange, 0, harmless);
  assert.equal(exchange.error, 0);
});

test("a size that was given stays", () => {
  const exchange = new ExchangeSize(7);
  for (let i = 0; i < 5; i++) superstep(exchange, 7);
  assert.deepEqual([exchange.size, exchange.exchanges, exchange.visits], [7, 5, 35]);
});

test("no exchange begins before the last one is through; then the visits since count as one", () => {
  const exchange = grown();
  const { exchanges, size } = exchange;
  for (let i = 0; i < 3 * size; i++) assert.equal(exchange.visited(false), false);
  assert.equal(exchange.visited(true), true);
  assert.equal(exchange.exchanges, exchanges + 1);
  assert.equal(exchange.visited(true), false, "they were counted");
});
