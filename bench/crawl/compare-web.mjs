// The web of `compare.bench.mjs`: static files with a compressed copy of each, for nginx. Everything is reachable, every
// link leads somewhere, and the same number of pages gives the same bytes.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export const HOSTS = 20;
const WORDS =
  "time year people way day man thing life child world school state family group country problem hand part place case week company system question work number night point home water room area money story fact month right study book word business issue side kind head house service friend power hour game line end law car city name team minute idea body back face level office door health person art war history party result change morning reason research moment air teacher force".split(
    " ",
  );

/** Numbers from 0 to 1 that look random and are always the same (mulberry32). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes the pages of a web of one kind below a folder; `small` pages have 26 links, `real` ones 150 and 100 KB. */
export function writeWeb(folder, kind, pages, port, scheme = "http") {
  const random = numbers(359);
  const perHost = Math.ceil(pages / HOSTS);
  const text = (count) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
  const address = (host, page) => `${scheme}://127.0.1.${host + 1}:${port}/p/${page}.html`;
  const near = (exponent) => Math.min(perHost - 1, Math.floor(perHost * random() ** exponent));
  const link = () => {
    const form = random();
    if (form < 0.15) return address(Math.floor(random() * HOSTS), near(2));
    const page = near(1.5);
    if (form < 0.5) return `${page}.html`;
    return form < 0.85 ? `/p/${page}.html` : `../p/${page}.html#part`;
  };
  // A tree below page 0 and a chain of hosts.
  const needed = (host, page) => [
    ...[1, 2, 3, 4]
      .map((i) => 4 * page + i)
      .filter((child) => child < perHost)
      .map((child) => `${child}.html`),
    ...(page === 0 ? [address((host + 1) % HOSTS, 0)] : []),
  ];
  const linksOf = (host, page, count) => {
    const links = needed(host, page);
    while (links.length < count) links.push(link());
    return links.toSorted(() => random() - 0.5);
  };
  const small = (host, page) =>
    `<!doctype html><html lang=en><head><meta charset=utf-8><title>Page ${host}-${page} ${text(4)}</title></head><body><h1>${text(5)}</h1>\n${linksOf(
      host,
      page,
      26,
    )
      .map((target) => `<p>${text(12)} <a href="${target}">${text(3)}</a> ${text(8)}</p>\n`)
      .join("")}</body></html>`;
  const real = (host, page) => {
    const links = linksOf(host, page, 150);
    const each = (count, make) => Array.from({ length: count }, (_, i) => make(i)).join("");
    const head = `<!doctype html>\n<html lang="en" class="no-js"><head><meta charset="utf-8"><title>Page ${host}-${page} ${text(6)}</title><meta name="description" content="${text(20)}">${each(12, (i) => `<meta name="x${i}" content="${text(4)}">`)}<style>${each(160, (i) => `.c${i}>li:nth-child(${i}){margin:${i}px auto;background:transparent}\n`)}</style><script>${each(120, (i) => `window.cfg${i}={a:${i},b:"${text(3)}",c:function(x){return x<${i}&&x>0?"<a href=none>":x}};\n`)}</script></head>`;
    const menu = links
      .slice(0, 60)
      .map(
        (target, i) =>
          `<li class="item c${i}" data-track='{"pos":${i}}'><a class="link" title="${text(2)}" href="${target}"><span class="label">${text(2)}</span></a></li>\n`,
      )
      .join("");
    const cards = links
      .slice(60)
      .map(
        (target, i) =>
          `<article class="card card-${i}" data-id="${i}"><h2 class="title">${text(6)}</h2><div class="meta"><time>${i}</time> &middot; <span class="by">${text(2)}</span></div><p>${text(36)} <em>${text(4)}</em> <a href="${target}" rel="bookmark" class="more">${text(3)}</a> ${text(20)} &amp; ${text(5)}</p><!-- card ${i} <a href="trap${i}.html">no</a> --></article>\n`,
      )
      .join("");
    const foot = `<footer>${each(40, (i) => `<div class="col col-${i}"><span>${text(5)}</span></div>`)}</footer><script>${each(60, (i) => `track(${i},"${text(4)}");`)}</script>`;
    return `${head}<body class="page"><nav class="menu"><ul>${menu}</ul></nav><main>${cards}</main>${foot}</body></html>`;
  };
  const make = kind === "small" ? small : real;
  for (let host = 0; host < HOSTS; host++) {
    const place = join(folder, `127.0.1.${host + 1}`, "p");
    mkdirSync(place, { recursive: true });
    for (let page = 0; page < perHost; page++) {
      const body = Buffer.from(make(host, page));
      writeFileSync(join(place, `${page}.html`), body);
      writeFileSync(join(place, `${page}.html.gz`), gzipSync(body, { level: 6 }));
    }
  }
  return perHost * HOSTS;
}
