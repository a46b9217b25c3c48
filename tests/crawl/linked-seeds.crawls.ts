import { test } from "node:test";
import { crawlLinkedSeeds } from "./linked-seeds.ts";

test("seeds that other threads find as links are fetched once, and the crawl ends", (t) =>
  crawlLinkedSeeds(t, ["coarse", "lock-free"], 1));
