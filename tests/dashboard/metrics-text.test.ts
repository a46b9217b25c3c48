import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsText } from "../../src/dashboard/metrics-text.ts";
import { type Figures, NO_FIGURES } from "../../src/stats/crawl-figures.ts";
import { outlookOf } from "../../src/stats/crawl-outlook.ts";
import { checkMetrics, SKIP_WITHOUT_PROMTOOL } from "../support/promtool.ts";

const FIGURES: Figures = {
  ...NO_FIGURES,
  state: "running",
  pages: 12,
  hostsWaiting: 3,
  latency: { counts: [1, 2, ...NO_FIGURES.latency.counts.slice(2)], sumMs: 4000 },
};
const TEXT = metricsText(FIGURES, outlookOf([FIGURES], 2)!, { robots: 4 }, "1.2.3");

test("promtool finds nothing wrong with the metrics", { skip: SKIP_WITHOUT_PROMTOOL }, () => {
  checkMetrics(TEXT);
});

test("metrics tell figures, state and what limits the crawl", () => {
  assert.match(TEXT, /^orbweaver_pages_total 12$/m);
  assert.match(TEXT, /^orbweaver_errors_total\{code="robots"\} 4$/m);
  assert.match(TEXT, /^orbweaver_state\{state="running"\} 1$/m);
  assert.match(TEXT, /^orbweaver_state\{state="paused"\} 0$/m);
  assert.match(TEXT, /^orbweaver_limiting_factor\{factor="delays"\} 1$/m);
  assert.match(TEXT, /^orbweaver_response_seconds_bucket\{le="0.002"\} 3$/m);
  assert.match(TEXT, /^orbweaver_response_seconds_bucket\{le="\+Inf"\} 3$/m);
  assert.match(TEXT, /^orbweaver_response_seconds_sum 4$/m);
});
