import { test } from "node:test";
import { CORRECT_TECHNIQUES } from "../../src/frontier/shared/techniques/record-queue.ts";
import { crawlLinkedSeeds } from "./linked-seeds.ts";

test("seeds that other threads find as links are fetched once, ten times in every technique", (t) =>
  crawlLinkedSeeds(t, CORRECT_TECHNIQUES, 10));
