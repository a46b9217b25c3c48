import type { PageContext } from "../../src/config/page-handler.ts";

/** Pushes three rows per page, two of them under one name: the handler of the drills. */
// biome-ignore lint/style/noDefaultExport: what a handler module exports.
export default function threeRows({ page, push }: PageContext): void {
  const { url, title } = page;
  push({ url, n: 0, title });
  push({ url, n: 1 }, "more");
  push({ url, n: 2, text: "\u00e9".repeat(url.length % 50) });
}
