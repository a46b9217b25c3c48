// Newest pages and failures. Titles and URLs come from strangers: they are text, never markup and never links.

import { bytes, count, element, milliseconds, rate } from "./format.js";

export function showPages(place, { pages }) {
  if (pages.length === 0) {
    place.replaceChildren(element("li", "No page yet.", "quiet"));
    return;
  }
  place.replaceChildren(
    ...pages.map((page) => {
      const item = element("li");
      item.append(element("strong", page.title || "(no title)"));
      item.append(element("code", page.url));
      const facts = [
        new Date(page.time).toLocaleTimeString(),
        bytes(page.bytes ?? 0),
        milliseconds(page.ms ?? null),
        `depth ${page.depth}`,
      ];
      item.append(element("span", facts.join(" · "), "quiet"));
      return item;
    }),
  );
}

export function showFailures(place, { failures }) {
  if (failures.length === 0) {
    place.replaceChildren(element("p", "Nothing has failed.", "quiet"));
    return;
  }
  const open = new Set(
    [...place.querySelectorAll("details[open]")].map((details) => details.dataset.code),
  );
  place.replaceChildren(
    ...failures.map(({ code, count: times, meaning, advice, examples }) => {
      const details = element("details");
      details.dataset.code = code;
      details.open = open.has(code);
      const summary = element("summary");
      summary.append(element("strong", `${count(times)} × ${code}`), `: ${meaning}`);
      details.append(summary, element("p", `What to do: ${advice}.`));
      for (const url of examples) details.append(element("code", url));
      return details;
    }),
  );
}

/** What threads exchanged lately, a row each; nothing is shown of a crawl with one thread. */
export function showExchanges(place, about, rows, { threads, isWhole }) {
  place.hidden = threads.length === 0;
  about.textContent = isWhole
    ? "What threads told each other, and what came too late to change the order of pages."
    : "The newest part of what threads told each other, and what came too late to change the order of pages.";
  rows.replaceChildren(
    ...threads.map(({ thread, exchanges, visits, blocks, lateOwn, lateForeign, q, pivot }) => {
      const row = element("tr");
      const each = exchanges === 0 ? "–" : rate(visits / exchanges);
      const cells = [exchanges, null, blocks, lateOwn, lateForeign, q].map((value) =>
        value === null ? each : count(value),
      );
      for (const text of [count(thread + 1), ...cells, pivot === 0 ? "–" : count(pivot)])
        row.append(element("td", text, "number"));
      return row;
    }),
  );
}
