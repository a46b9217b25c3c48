import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { rawServer } from "./raw-server.ts";

const clientModule = new URL("../../../src/fetch/wire/client.js", import.meta.url).href;

/** A client in a process that may open few files: more requests than files, then one more. */
const PROGRAM = `
import { WireClient } from "${clientModule}";
const port = Number(process.argv[1]);
const target = { secure: false, hostname: "a.test", port, address: "127.0.0.1", connectPort: port };
const client = new WireClient();
const one = () => client.request({ target, path: "/", headers: [] });
const burst = await Promise.all(Array.from({ length: 80 }, one));
const idle = client.openSockets;
const codes = burst.map((result) => (result.kind === "failed" ? result.error : "ok"));
const again = (await one()).kind;
await client.close();
console.log(JSON.stringify({ codes: [...new Set(codes)].sort(), idle, again, open: client.openSockets }));
`;

const skip = process.platform === "win32" ? "skipped: there is no ulimit here" : false;

test("running out of file descriptors is an outcome (HOSTILE, faults)", { skip }, async (t) => {
  const server = await rawServer(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const shell = `ulimit -n 64; exec "$0" --input-type=module -e "$1" "$2"`;
  const args = ["-c", shell, process.execPath, PROGRAM, String(server.port)];
  const { stdout } = await promisify(execFile)("sh", args);
  const report = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(report.codes, ["ok", "too_many_files"]);
  assert.deepEqual([report.again, report.open], ["response", 0]);
});
