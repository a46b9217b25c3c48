import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { metricsText } from "../../src/dashboard/metrics-text.ts";
import { NO_FIGURES } from "../../src/stats/crawl-figures.ts";
import { outlookOf } from "../../src/stats/crawl-outlook.ts";
import { root } from "../support/conformance.ts";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets: readonly { readonly expr: string; readonly refId: string }[];
}

const TEXT = readFileSync(join(root, "docs", "grafana.json"), "utf8");
const { title, panels, schemaVersion } = JSON.parse(TEXT) as {
  title: string;
  schemaVersion: number;
  panels: Panel[];
};
const METRICS = metricsText(NO_FIGURES, outlookOf([NO_FIGURES], 2)!, { robots: 1 }, "1.2.3");

/** Each series of the metrics: its name, and the labels it has. */
const SERIES = new Map(
  [...METRICS.matchAll(/^(orbweaver_\w+)(?:\{([^}]*)\})? /gm)].map(([, name, labels = ""]) => [
    name!,
    [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label!),
  ]),
);

test("the dashboard for Grafana asks for metrics and labels that exist", () => {
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  assert.ok(asked.length >= panels.length && panels.length > 5);
  for (const expr of asked) {
    const names = [...expr.matchAll(/orbweaver_\w+/g)].map(([name]) => name);
    assert.ok(names.length > 0, expr);
    for (const name of names) assert.ok(SERIES.has(name), `${name} in ${expr}`);
    const labels = names.flatMap((name) => SERIES.get(name)!);
    const used = [
      ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, all]) => all!.match(/\w+(?=!?=)/g) ?? []),
      ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, all]) => all!.match(/\w+/g) ?? []),
    ].filter((label) => label !== "instance" && label !== "job");
    for (const label of used) assert.ok(labels.includes(label), `${label} in ${expr}`);
    for (const name of names)
      if (name.endsWith("_total"))
        assert.match(expr, /(?:rate|increase)\(/, `a counter only grows: ${expr}`);
  }
});

test("its panels have places of their own, and everything that Grafana needs to load them", () => {
  assert.ok(title.length > 0 && schemaVersion >= 36);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const [i, { title: name, type, gridPos, targets }] of panels.entries()) {
    assert.ok(name.length > 0 && type.length > 0 && targets.length > 0);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, name);
    const { x, y, w, h } = gridPos;
    assert.ok(x >= 0 && x + w <= 24, name);
    for (const { gridPos: other, title: otherName } of panels.slice(i + 1)) {
      const isApart =
        x + w <= other.x || other.x + other.w <= x || y + h <= other.y || other.y + other.h <= y;
      assert.ok(isApart, `${name} and ${otherName} overlap`);
    }
  }
});
