import assert from "node:assert/strict";
import { test } from "node:test";
import { scanLinks } from "../../src/parse/links.ts";

function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

/** Pages of about `size` bytes on which some parser took quadratic time (P1, P2, P10). */
const HOSTILE: Record<string, (size: number) => string> = {
  "nested div": (size) => "<div>".repeat(size / 5),
  "ul li without end": (size) => "<ul><li>".repeat(size / 8),
  "p in nested div": (size) => "<div>".repeat(1000) + "<p>".repeat(size / 3),
  "script without end": (size) => "<script>".repeat(size / 8),
  "escaped script": (size) => `<script><!--${"<script>".repeat(size / 8)}`,
  "comment without end": (size) => `<!--${"-".repeat(size / 2)}${"<!--".repeat(size / 8)}`,
  "bogus comments": (size) => "</ ".repeat(size / 3),
  "less-than signs": (size) => "<".repeat(size),
  "long attribute": (size) => `<a href="${"x".repeat(size)}">`,
  "attribute without end": (size) => `<a href="${'x" y="'.repeat(size / 6)}`,
  "many attributes": (size) => `<a ${"b=c ".repeat(size / 4)}>`,
  ampersands: (size) => `<a href="${"&".repeat(size / 2)}${"&am".repeat(size / 6)}">`,
  "formatting without end": (size) =>
    `${Array.from({ length: size / 12 }, (_, i) => `<b id=${i}><p>`).join("")}<table><a>`,
  "misnested formatting": (size) => `<table><tr>${"<a><b><i><div></a></b></i>".repeat(size / 26)}`,
  "nested tables": (size) => "<table><tr><td>".repeat(size / 15),
  "tables in tables": (size) => "<table><a href=x>".repeat(size / 17),
  "nested svg": (size) => "<svg><g>".repeat(size / 8),
  "nested math": (size) => "<math><mi><a>".repeat(size / 13),
  "nested template": (size) => "<template><td>".repeat(size / 14),
  "unknown names": (size) =>
    `<template>${Array.from({ length: size / 16 }, (_, i) => `<x${i}></y${i}>`).join("")}`,
  "select in table": (size) => "<table><tr><td><select><tr>".repeat(size / 27),
  "meta robots": (size) => "<meta name=robots content=noindex>".repeat(size / 34),
  "title without end": (size) => "<title>".repeat(size / 7),
  "stray end tags in the deep": (size) => "<div>".repeat(size / 10) + "</x>".repeat(size / 8),
  "base elements": (size) => "<base href=x>".repeat(size / 13),
};

for (const [name, make] of Object.entries(HOSTILE)) {
  test(`twice the page costs about twice the time: ${name}`, () => {
    const [small, large] = [Buffer.from(make(100_000)), Buffer.from(make(400_000))];
    for (const exact of [false, true]) {
      const scan = (body: Buffer) => scanLinks(body, { words: true, exact });
      scan(small); // compiles what it needs
      const best = (body: Buffer) =>
        Math.min(...[1, 2].map(() => cpuMs(() => assert.ok(scan(body)))));
      const [once, fourTimes] = [best(small), best(large)];
      // Four times the bytes: linear gives 4, quadratic 16. The constant forgives what is too short to measure.
      const limit = 10 * once + 20;
      assert.ok(
        fourTimes < limit,
        `exact ${exact}: ${once} ms for 0.1 MB, ${fourTimes} ms for 0.4 MB`,
      );
    }
  });
}
