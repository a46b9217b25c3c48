import { test } from "node:test";
import { endWithoutBuilder, surviveDeaths } from "./dying-workers.ts";

for (const victims of [["crawler 1"], ["builder 0"], ["crawler 0", "builder 0"]]) {
  test(`when ${victims.join(" and ")} die they are replaced and nothing is lost`, (t) =>
    surviveDeaths(t, victims));
}

test("a builder that dies while an interrupted crawl ends is replaced, and the crawl ends well", (t) =>
  endWithoutBuilder(t, "interrupted"));
