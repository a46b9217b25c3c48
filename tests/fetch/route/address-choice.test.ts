import assert from "node:assert/strict";
import { test } from "node:test";
import { addressGate } from "../../../src/fetch/route/address.ts";
import { AddressChoice, MAX_ADDRESSES_TRIED } from "../../../src/fetch/route/address-choice.ts";
import type { Target, TransportFailure } from "../../../src/fetch/transport.ts";

function targetOf(addresses: readonly string[]): Target {
  const place = { hostname: "a.test", port: 80, connectPort: 80, secure: false };
  return { ...place, address: addresses[0]!, addresses };
}

const REFUSED: TransportFailure = { kind: "failed", error: "connection_refused", detail: "" };

test("few of many addresses are tried, and the next request begins behind them", () => {
  const all = Array.from({ length: 2000 }, (_, i) => `127.1.${i >> 8}.${i & 255}`);
  const choice = new AddressChoice();
  const found = targetOf(all);
  const first = choice.begin(found);
  assert.deepEqual(first.target.addresses, all.slice(0, MAX_ADDRESSES_TRIED));
  assert.equal(choice.failed(found, first, REFUSED), undefined);
  const second = choice.begin(targetOf(all));
  assert.deepEqual(second.target.addresses, all.slice(4, 8));
});

test("an address that could not be tried yet is the next one, and counts among the few", () => {
  const all = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];
  const choice = new AddressChoice();
  const found = targetOf(all);
  const tried: string[] = [];
  for (let untilMs: number | undefined = 1; untilMs !== undefined; ) {
    const chosen = choice.begin(found);
    tried.push(chosen.target.address);
    const next = chosen.target.addresses?.[1];
    const untried = next === undefined ? undefined : { address: next, untilMs: 50 };
    untilMs = choice.failed(found, chosen, { ...REFUSED, untried });
  }
  assert.deepEqual(tried, all.slice(0, MAX_ADDRESSES_TRIED));
});

test("the address that answered is asked alone until it fails", () => {
  const all = ["127.0.0.1", "127.0.0.2"];
  const choice = new AddressChoice();
  const found = targetOf(all);
  choice.begin(found);
  choice.answered(found, "127.0.0.2");
  const chosen = choice.begin(targetOf(all));
  assert.deepEqual([chosen.target.address, chosen.target.addresses], ["127.0.0.2", undefined]);
  choice.failed(found, chosen, REFUSED);
  assert.deepEqual(choice.begin(found).target.addresses, all);
});

test("all spellings of an address have one gate", () => {
  assert.equal(addressGate("::ffff:127.0.0.1"), "127.0.0.1");
  assert.equal(addressGate("::ffff:7f00:1"), "127.0.0.1");
  assert.equal(addressGate("0:0:0:0:0:0:0:1"), addressGate("::1"));
  assert.notEqual(addressGate("::1"), addressGate("::2"));
});
