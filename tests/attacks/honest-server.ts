import { givenOptions, serve } from "./serve.ts";

/** Honest hosts: the first page of each, or its sitemap, leads to all others, and every answer takes the same time. */
const { addresses, pages, latencyMs, viaSitemap } = givenOptions<{
  addresses: readonly string[];
  /** Pages of each host. */
  pages: number;
  latencyMs: number;
  viaSitemap: boolean;
}>();

const links = Array.from({ length: pages }, (_, i) => `<a href="/${i}">${i}</a>`).join(" ");
/** A page may be asked for again after a crash. */
const seen = new Set<string>();
let firstMs = 0;
let lastMs = 0;
let longestGapMs = 0;
const report = () => process.send!({ served: seen.size, tookMs: lastMs - firstMs, longestGapMs });

await serve(addresses, (request, response, host) => {
  if (request.url === "/robots.txt") {
    response.end(viaSitemap ? `Sitemap: http://${host}/map.txt` : "");
    return;
  }
  if (request.url === "/map.txt") {
    response.setHeader("Content-Type", "text/plain");
    response.end(Array.from({ length: pages }, (_, i) => `http://${host}/${i}`).join("\n"));
    return;
  }
  setTimeout(() => {
    const nowMs = performance.now();
    if (seen.size > 0) longestGapMs = Math.max(longestGapMs, nowMs - lastMs);
    else firstMs = nowMs;
    lastMs = nowMs;
    seen.add(`${host}${request.url}`);
    response.setHeader("Content-Type", "text/html");
    const body = request.url === "/0" && !viaSitemap ? links : `page ${request.url} of ${host}`;
    response.end(`<title>${host}</title><p>${body}`);
  }, latencyMs);
});
// What was served is told from time to time, and at once when it is all.
setInterval(report, 50);
