// CPU per page of our HTTP client and of undici's, against a raw server in another process.

import { fork } from "node:child_process";
import { Pool, request } from "undici";
import { WireClient } from "../../build/src/fetch/wire/client.js";
import { readArguments } from "../support/arguments.mjs";

const { pages, bytes, inFlight, repeat } = readArguments({
  options: {
    pages: { default: 20_000, smoke: 300, help: "pages" },
    bytes: { default: 5120, help: "bytes of a page" },
    "in-flight": { default: 32, help: "requests in flight" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});

const server = fork(new URL("wire-server.mjs", import.meta.url), [String(bytes)]);
const port = await new Promise((resolve) => server.once("message", resolve));
const origin = `http://127.0.0.1:${port}`;
const headers = [
  ["User-Agent", "Orbweaver/0.1 (+bench)"],
  ["Accept", "text/html,*/*;q=0.1"],
  ["Accept-Encoding", "gzip, br"],
];

async function lanes(fetchOne, count) {
  let next = 0;
  const lane = async () => {
    while (next < count) await fetchOne(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

const wire = new WireClient();
const target = {
  secure: false,
  hostname: "127.0.0.1",
  port,
  address: "127.0.0.1",
  connectPort: port,
};
const pool = new Pool(origin, { connections: inFlight, pipelining: 1 });
const flatHeaders = headers.flat();

const clients = {
  wire: async (n) => {
    const result = await wire.request({ target, path: `/page/${n}`, headers });
    if (result.kind !== "response" || result.response.body.length !== bytes)
      throw new Error("short");
  },
  "undici request": async (n) => {
    const { body } = await request(`${origin}/page/${n}`, {
      dispatcher: pool,
      headers: flatHeaders,
    });
    if ((await body.arrayBuffer()).byteLength !== bytes) throw new Error("short");
  },
  "undici dispatch": (n) =>
    new Promise((resolve, reject) => {
      const parts = [];
      let length = 0;
      pool.dispatch(
        { path: `/page/${n}`, method: "GET", headers: flatHeaders },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData(_controller, part) {
            parts.push(part);
            length += part.length;
          },
          onResponseEnd: () => {
            Buffer.concat(parts);
            length === bytes ? resolve() : reject(new Error("short"));
          },
          onResponseError: (_controller, error) => reject(error),
        },
      );
    }),
};

for (const name of Object.keys(clients)) await lanes(clients[name], Math.min(3000, pages)); // warm up
const results = Object.fromEntries(Object.keys(clients).map((name) => [name, []]));
for (let i = 0; i < repeat; i++) {
  for (const name of Object.keys(clients)) {
    const before = process.cpuUsage();
    await lanes(clients[name], pages);
    const used = process.cpuUsage(before);
    results[name].push([(used.user + used.system) / pages, used.user / pages]);
  }
}
console.log(
  `${pages} pages of ${bytes} bytes, ${inFlight} in flight: CPU us per page (of it user)`,
);
for (const [name, runs] of Object.entries(results)) {
  const text = runs.map(([all, user]) => `${all.toFixed(1)} (${user.toFixed(1)})`).join("   ");
  console.log(name.padEnd(18), text);
}
await wire.close();
await pool.close();
server.disconnect();
