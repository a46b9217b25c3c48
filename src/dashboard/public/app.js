// The page: listens to the crawl and shows what it says. Everything that comes from the web is shown as text.

import { get, listen } from "./api.js";
import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { bytes, count, duration, element, milliseconds, rate } from "./format.js";
import { showGraph } from "./graph.js";
import { Hosts } from "./hosts.js";
import { showExchanges, showFailures, showPages } from "./lists.js";

const byId = (id) => document.getElementById(id);
const controls = new Controls();
const charts = new Charts(byId("charts"), byId("spans"));
let hosts;

const STATES = {
  finished: "finished",
  limit: "ended by a limit",
  interrupted: "stopped",
  died: "its process is gone",
};

/** Name, value, and what stands below it. */
const FIGURES = [
  ["Pages", (s) => count(s.figures.pages), ({ now }) => `${rate(now.pagesPerSecond)}/s`],
  ["Received", (s) => bytes(s.figures.bytes), ({ now }) => `${bytes(now.bytesPerSecond)}/s`],
  ["Queued", (s) => count(s.figures.queued), ({ figures }) => `${count(figures.known)} known`],
  ["In flight", (s) => count(s.figures.inFlight), ({ figures }) => `of ${count(figures.places)}`],
  ["Failed", (s) => count(s.figures.failed), ({ figures }) => `${count(figures.refused)} refused`],
  [
    "Hosts",
    (s) => count(s.figures.hosts),
    ({ figures }) => `${count(figures.hostsWaiting)} waiting`,
  ],
  ["Response", (s) => milliseconds(s.now.p50), ({ now }) => `99 %: ${milliseconds(now.p99)}`],
  [
    "Memory",
    (s) => bytes(s.figures.rssBytes),
    ({ figures }) => `threads busy ${Math.round(100 * figures.busy)} %`,
  ],
  ["Time", (s) => duration(s.figures.seconds), ({ figures }) => `run ${count(figures.run)}`],
];

function buildFigures() {
  for (const [name] of FIGURES) {
    const box = element("div");
    const value = element("dd");
    value.append(element("span"), element("small"));
    box.append(element("dt", name), value);
    byId("figures").append(box);
  }
}

/** Writes only what is new: a screen reader is not told the same thing twice. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function showStatus(status) {
  const { figures, limitedBy, timeLeft, dir } = status;
  write(byId("dir"), dir);
  byId("state").dataset.state = figures.state;
  write(byId("state"), STATES[figures.state] ?? figures.state);
  write(byId("limit"), limitedBy.text);
  write(
    byId("left"),
    timeLeft === null ? "" : `About ${duration(timeLeft.seconds)} left: ${timeLeft.basis}.`,
  );
  const boxes = [...byId("figures").querySelectorAll("dd")];
  for (const [i, [, value, more]] of FIGURES.entries()) {
    write(boxes[i].firstChild, value(status));
    write(boxes[i].lastChild, more(status));
  }
  document.title = `${count(figures.pages)} pages · Orbweaver`;
  controls.show(status);
  if (hosts === undefined) {
    hosts = new Hosts(status.control === null ? undefined : (host) => controls.changeHost(host));
    begin();
  }
}

/** Asks again and again, while somebody looks. */
function repeat(everyMs, update) {
  const step = async () => {
    if (!document.hidden) await update().catch(() => {});
    setTimeout(step, everyMs);
  };
  void step();
}

function begin() {
  repeat(2000, () => charts.update());
  repeat(3000, () => hosts.update());
  repeat(3000, async () => showPages(byId("pages"), await get("api/pages")));
  repeat(5000, async () => showFailures(byId("failures"), await get("api/failures")));
  repeat(5000, async () =>
    showExchanges(
      byId("exchanges"),
      byId("exchanges-about"),
      byId("exchange-rows"),
      await get("api/exchanges"),
    ),
  );
  repeat(15_000, async () => showGraph(byId("graph"), byId("links"), await get("api/links")));
}

// What scrolls must be reachable by keyboard.
for (const place of document.querySelectorAll(".scroll, .list")) place.tabIndex = 0;
buildFigures();
void listen(showStatus, (problem) => {
  byId("problem").hidden = problem === "";
  write(byId("problem"), problem);
});
