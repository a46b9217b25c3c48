// The process of a web without an end whose pages come late, or never: what a crawl waits for is told by its arguments.
// Every page of `HOSTS` addresses has 20 links; the same path always answers after the same time, or not at all.

import { createServer } from "node:http";

const [latencyMs, silentShare] = process.argv.slice(2).map(Number);
const HOSTS = 60;
const LINKS = 20;
const PAGES = 1 << 24;
const addresses = Array.from({ length: HOSTS }, (_, i) => `127.0.3.${i + 1}`);
const filler = "<p>Some words between the links of this page, as a page has them.</p>\n".repeat(30);

/** A number from 0 to 2^32 - 1 that looks random and is always the same (murmur3's last steps). */
function mixed(value) {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

let port = 0;
function page(number) {
  const links = Array.from({ length: LINKS }, (_, i) => {
    const target = mixed(number * 31 + i) % PAGES;
    return `<a href="http://${addresses[target % HOSTS]}:${port}/${target}">${i}</a>`;
  });
  return `<!doctype html><title>${number}</title>${filler}${links.join("\n")}`;
}

const server = createServer((request, response) => {
  if (request.url === "/robots.txt") return response.writeHead(404).end();
  const number = Number(request.url.slice(1)) || 0;
  if (number !== 0 && mixed(number + 7) / 2 ** 32 < silentShare) return undefined;
  const answer = () => {
    const body = page(number);
    response.writeHead(200, { "content-type": "text/html", "content-length": body.length });
    response.end(body);
  };
  return latencyMs > 0 ? setTimeout(answer, latencyMs) : answer();
});
server.keepAliveTimeout = 600_000;
server.listen(0, "0.0.0.0", () => {
  port = server.address().port;
  process.send({ start: [0, 1, 2, 3].map((i) => `http://${addresses[i]}:${port}/${i}`) });
});
process.on("disconnect", () => process.exit(0));
