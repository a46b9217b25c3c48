import assert from "node:assert/strict";
import { test } from "node:test";
import { ExchangeSize } from "../../../src/frontier/opic/exchange-size.ts";

/** One superstep: pages of range 50 are taken, and so many of others are heard of that were worth more. */
function superstep(
  exchange: ExchangeSize,
  missed: number,
  more: (exchange: ExchangeSize) => void = () => {},
): void {
  for (let i = 0; i < missed; i++) exchange.heard(60);
  more(exchange);
  for (let isOver = false; !isOver; ) {
    exchange.taken(50);
    isOver = exchange.visited();
  }
}

test("the size grows while nothing comes too late, up to a bound", () => {
  const exchange = new ExchangeSize();
  assert.equal(exchange.size, 16);
  superstep(exchange, 0);
  assert.equal(exchange.size, 16, "the first superstep has nothing to compare with");
  const sizes = Array.from({ length: 8 }, () => {
    superstep(exchange, 0);
    return exchange.size;
  });
  assert.deepEqual(sizes, [32, 64, 128, 256, 512, 1024, 1024, 1024]);
  assert.equal(exchange.exchanges, 9);
});

test("it shrinks when more than 5 % of the pages should have given way to others, down to a bound", () => {
  const exchange = new ExchangeSize();
  for (let i = 0; i < 8; i++) superstep(exchange, 0);
  assert.equal(exchange.size, 1024);
  superstep(exchange, 1024); // all of them
  assert.equal(exchange.size, 512);
  assert.equal(exchange.error, 0.25);
  for (let i = 0; i < 20; i++) superstep(exchange, exchange.size);
  assert.equal(exchange.size, 16);
});

test("an error between half of the limit and the limit changes nothing", () => {
  const exchange = new ExchangeSize();
  for (let i = 0; i < 4; i++) superstep(exchange, 0);
  const { size } = exchange;
  for (let i = 0; i < 30; i++) superstep(exchange, Math.round(0.04 * exchange.size));
  assert.ok(exchange.size >= size && exchange.error > 0.025 && exchange.error < 0.05);
  const before = exchange.size;
  superstep(exchange, Math.round(0.04 * exchange.size));
  assert.equal(exchange.size, before);
});

test("what would not have gone before the pages taken is no error, nor is what was in front already", () => {
  const exchange = new ExchangeSize();
  const harmless = (at: ExchangeSize) => {
    for (let i = 0; i < 100; i++) {
      at.heard(50);
      at.heard(10);
      at.heard(80, 70);
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
