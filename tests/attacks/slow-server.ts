import type { ServerResponse } from "node:http";
import { givenOptions, serve } from "./serve.ts";

/** Above the minimum rate of the crawler, and slow enough to keep a place until its deadline. */
const BYTES_PER_S = 400;
const { addresses, sitemaps, slowRobots } = givenOptions<{
  addresses: readonly string[];
  /** Sitemap lines in every robots.txt. */
  sitemaps: number;
  /** Requests to one address are spaced: with a quick robots.txt it would take a while until the places are held. */
  slowRobots: boolean;
}>();

await serve(addresses, (request, response, host) => {
  // Sitemaps are asked for when the first page of their host has been visited.
  if (sitemaps > 0 && request.url === "/") response.end("<title>here</title>");
  else if (slowRobots || request.url !== "/robots.txt") {
    const type = request.url!.startsWith("/map") ? "application/xml" : "text/html";
    response.setHeader("Content-Type", type);
    drip(response);
  } else if (sitemaps === 0) response.writeHead(404).end();
  else {
    const line = (_: unknown, i: number) => `Sitemap: http://${host}/map${i}.xml`;
    response.end(Array.from({ length: sitemaps }, line).join("\n"));
  }
});

function drip(response: ServerResponse): void {
  response.write("<html>");
  const timer = setInterval(() => response.write("x".repeat(BYTES_PER_S / 4)), 250);
  response.on("close", () => clearInterval(timer));
}
