import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineKeys, partitionTags, slotOf } from "../../../src/frontier/engine/engine-keys.ts";

test("slots are those of the cluster specification", () => {
  // Its own example, and two that redis-cli CLUSTER KEYSLOT answers.
  assert.equal(slotOf("123456789"), 0x31c3);
  assert.equal(slotOf("foo"), 12182);
  assert.equal(slotOf(""), 0);
});

test("partitions lie in equal parts of the slots, each with a tag of its own", () => {
  for (const partitions of [1, 16, 1024]) {
    const tags = partitionTags(partitions);
    assert.equal(new Set(tags).size, partitions);
    for (const [i, tag] of tags.entries())
      assert.equal(Math.floor((slotOf(tag) * partitions) / 16_384), i);
  }
});

test("keys begin with the name of the crawl, which cannot contain anything that ends it", () => {
  assert.match(new EngineKeys("my.crawl-1", 4).partition(3), /^orbweaver:my\.crawl-1:\{\w+\}$/);
  for (const name of ["", "a:b", "a{b}", "-a", "a b", "a*", "x".repeat(65), "../up"])
    assert.throws(() => new EngineKeys(name, 1), /--crawl/);
});
