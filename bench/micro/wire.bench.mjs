// CPU of the client process alone, per page, against a raw server in another process.
// Usage: npx tsc && node bench/micro/wire.bench.mjs [pages] [bytes] [in flight]
import { fork } from "node:child_process";
import { Pool, request } from "undici";
import { WireClient } from "../../build/src/fetch/wire/client.js";

const pages = Number(process.argv[2] ?? 20_000);
const bytes = Number(process.argv[3] ?? 5120);
const inFlight = Number(process.argv[4] ?? 32);
const repetitions = 3;

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
const flat = headers.flat();

const clients = {
  wire: async (n) => {
    const result = await wire.request({ target, path: `/page/${n}`, headers });
    if (result.kind !== "response" || result.response.body.length !== bytes)
      throw new Error("short");
  },
  "undici request": async (n) => {
    const { body } = await request(`${origin}/page/${n}`, { dispatcher: pool, headers: flat });
    if ((await body.arrayBuffer()).byteLength !== bytes) throw new Error("short");
  },
  "undici dispatch": (n) =>
    new Promise((resolve, reject) => {
      const parts = [];
      let length = 0;
      pool.dispatch(
        { path: `/page/${n}`, method: "GET", headers: flat },
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
for (let i = 0; i < repetitions; i++) {
  for (const name of Object.keys(clients)) {
    const before = process.cpuUsage();
    await lanes(clients[name], pages);
    const used = process.cpuUsage(before);
    results[name].push([(used.user + used.system) / pages, used.user / pages]);
  }
}
console.log(
  `${pages} pages of ${bytes} bytes, ${inFlight} in flight: CPU us per page (of it user), 3 runs`,
);
for (const [name, runs] of Object.entries(results)) {
  const text = runs.map(([all, user]) => `${all.toFixed(1)} (${user.toFixed(1)})`).join("   ");
  console.log(name.padEnd(18), text);
}
await wire.close();
await pool.close();
server.disconnect();
