// Newest pages and failures. Titles and URLs come from strangers: they are text, never markup and never links.

import { bytes, count, element, milliseconds } from "./format.js";

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
