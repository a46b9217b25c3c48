// Links between the largest hosts: hosts on a circle, and a table of the same for everybody who cannot see it.

import { count, element } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 420;
const RADIUS = 130;
const MAX_LABEL = 22;
/** More would only be a ball of wool; the table has the others. */
const MAX_EDGES = 80;

export function showGraph(place, table, { hosts, links }) {
  table.replaceChildren(
    ...links.slice(0, 50).map(({ from, to, count: urls }) => {
      const row = element("tr");
      row.append(
        element("td", from, "long"),
        element("td", to, "long"),
        element("td", count(urls), "number"),
      );
      return row;
    }),
  );
  if (links.length === 0) {
    place.replaceChildren(element("p", "No links between hosts yet.", "quiet"));
    return;
  }
  const spots = new Map(hosts.map(({ name }, i) => [name, spotOf(i, hosts.length)]));
  const drawn = links.slice(0, MAX_EDGES);
  const most = drawn[0].count;
  const largest = Math.max(1, ...hosts.map(({ pages }) => pages));
  const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" });
  picture.setAttribute("aria-label", "Links between the largest hosts, as in the table");
  for (const { from, to, count: urls } of drawn) {
    const [a, b] = [spots.get(from), spots.get(to)];
    const path = `M${a.x} ${a.y}Q${SIZE / 2} ${SIZE / 2} ${b.x} ${b.y}`;
    const weight = urls / most;
    const look = { "stroke-width": 1 + 4 * weight, opacity: 0.15 + 0.35 * weight };
    picture.append(svg("path", { class: "edge", d: path, ...look }));
  }
  for (const [i, { name, pages }] of hosts.entries()) {
    const { x, y, angle } = spotOf(i, hosts.length);
    const r = 3 + 6 * Math.sqrt(pages / largest);
    picture.append(svg("circle", { class: "node", cx: x, cy: y, r }));
    const isLeft = Math.cos(angle) < 0;
    const turn = (angle * 180) / Math.PI + (isLeft ? 180 : 0);
    const away = RADIUS + 14;
    const [tx, ty] = [SIZE / 2 + away * Math.cos(angle), SIZE / 2 + away * Math.sin(angle)];
    const label = svg("text", {
      x: tx,
      y: ty,
      transform: `rotate(${turn} ${tx} ${ty})`,
      "text-anchor": isLeft ? "end" : "start",
      "dominant-baseline": "middle",
    });
    label.textContent = name.length > MAX_LABEL ? `${name.slice(0, MAX_LABEL - 1)}…` : name;
    picture.append(label);
  }
  place.replaceChildren(picture);
}

function spotOf(i, all) {
  const angle = (2 * Math.PI * i) / all - Math.PI / 2;
  return { x: SIZE / 2 + RADIUS * Math.cos(angle), y: SIZE / 2 + RADIUS * Math.sin(angle), angle };
}

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
