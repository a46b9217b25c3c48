import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import tls from "node:tls";
import { errorOf, get, responseOf, turns, wireClient } from "./raw-server.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-tls-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function openssl(...args: string[]): boolean {
  try {
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Makes `name`.key and `name`.pem, self-signed. */
function certificate(name: string, ...more: string[]): boolean {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=site.test", "-addext", "subjectAltName=DNS:site.test"];
  return openssl(
    "req",
    "-x509",
    ...key,
    ...names,
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.pem`,
    ...more,
  );
}

const skip = certificate("good") ? false : "skipped: openssl is not here to make certificates";
const pem = (name: string) => readFileSync(join(folder, `${name}.pem`), "utf8");

async function secureServer(t: TestContext, name: string, options: tls.TlsOptions = {}) {
  const seen = { names: [] as (string | false)[], resumed: [] as boolean[] };
  const key = readFileSync(join(folder, `${name}.key`), "utf8");
  const server = tls.createServer({ key, cert: pem(name), ...options }, (socket) => {
    seen.names.push((socket as unknown as { servername: string | false }).servername);
    seen.resumed.push(socket.isSessionReused());
    socket.on("error", () => {});
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  });
  server.on("tlsClientError", () => {});
  return { ...(await listening(t, server)), seen };
}

async function listening(t: TestContext, server: net.Server) {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as net.AddressInfo;
  return {
    target: { secure: true, hostname: "site.test", port, address: "127.0.0.1", connectPort: port },
  };
}

test("a trusted certificate: reads, reuses the connection, resumes the session", {
  skip,
}, async (t) => {
  const server = await secureServer(t, "good");
  const client = wireClient(t, { ca: pem("good"), maxIdle: 1 });
  for (const reused of [false, true]) {
    const response = responseOf(await get(client, server));
    assert.deepEqual([response.body.toString(), response.reusedConnection], ["ok", reused]);
  }
  await Promise.all([get(client, server), get(client, server)]);
  assert.deepEqual(server.seen.names, ["site.test", "site.test"]);
  assert.deepEqual(server.seen.resumed, [false, true]);
});

test("a long body arrives whole on many connections at once", { skip }, async (t) => {
  // All connections receive into one buffer; bytes of one must never show up in another.
  const key = readFileSync(join(folder, "good.key"), "utf8");
  const bodyOf = (path: string) => Buffer.alloc(700_000, path);
  const server = tls.createServer({ key, cert: pem("good") }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const body = bodyOf(data.toString("latin1").split(" ")[1]!);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
  });
  const { target } = await listening(t, server);
  const client = wireClient(t, { ca: pem("good") });
  const paths = Array.from({ length: 12 }, (_, i) => `/page-${i}-`);
  const results = await Promise.all(paths.map((path) => get(client, { target }, path)));
  for (const [i, result] of results.entries()) {
    assert.ok(responseOf(result).body.equals(bodyOf(paths[i]!)), paths[i]);
  }
});

test("a connection proven for one name does not serve another", { skip }, async (t) => {
  const server = await secureServer(t, "good");
  const client = wireClient(t, { insecure: true });
  await get(client, server);
  const other = { target: { ...server.target, hostname: "other.test" } };
  assert.equal(responseOf(await get(client, other)).reusedConnection, false);
});

test("addresses are not sent as server name", { skip }, async (t) => {
  const server = await secureServer(t, "good");
  const client = wireClient(t, { insecure: true });
  await get(client, { target: { ...server.target, hostname: "127.0.0.1" } });
  assert.deepEqual(server.seen.names, [false]);
});

test("certificate errors are outcomes with a reason (HOSTILE N11)", { skip }, async (t) => {
  const server = await secureServer(t, "good");
  assert.equal(errorOf(await get(wireClient(t), server)), "tls_self_signed");
  const trusting = wireClient(t, { ca: pem("good") });
  const wrong = { target: { ...server.target, hostname: "other.test" } };
  assert.equal(errorOf(await get(trusting, wrong)), "tls_wrong_host");
  assert.equal(
    responseOf(await get(wireClient(t, { insecure: true }), wrong)).body.toString(),
    "ok",
  );
  const old = await secureServer(t, "good", {
    minVersion: "TLSv1",
    maxVersion: "TLSv1",
    ciphers: "DEFAULT@SECLEVEL=0",
  });
  assert.equal(errorOf(await get(trusting, old)), "tls_protocol");
});

test("an expired certificate and one of an unknown authority", { skip }, async (t) => {
  assert.ok(
    openssl(
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      "/CN=site.test",
      "-keyout",
      "leaf.key",
      "-out",
      "leaf.csr",
    ),
  );
  assert.ok(
    openssl(
      "x509",
      "-req",
      "-in",
      "leaf.csr",
      "-CA",
      "good.pem",
      "-CAkey",
      "good.key",
      "-set_serial",
      "2",
      "-out",
      "leaf.pem",
    ),
  );
  const sign = ["x509", "-req", "-in", "leaf.csr", "-CA", "good.pem", "-CAkey", "good.key"];
  assert.ok(openssl(...sign, "-set_serial", "4", "-days", "-1", "-out", "expired.pem"));
  const leafKey = readFileSync(join(folder, "leaf.key"), "utf8");
  const expired = await secureServer(t, "leaf", { key: leafKey, cert: pem("expired") });
  assert.equal(errorOf(await get(wireClient(t, { ca: pem("good") }), expired)), "tls_expired");
  assert.equal(errorOf(await get(wireClient(t), await secureServer(t, "leaf"))), "tls_untrusted");
  if (
    openssl(
      "x509",
      "-req",
      "-sha1",
      "-in",
      "leaf.csr",
      "-CA",
      "good.pem",
      "-CAkey",
      "good.key",
      "-set_serial",
      "3",
      "-out",
      "weak.pem",
    )
  ) {
    const { key, cert } = {
      key: readFileSync(join(folder, "leaf.key"), "utf8"),
      cert: pem("weak"),
    };
    const server = await secureServer(t, "leaf", { key, cert, ciphers: "DEFAULT@SECLEVEL=0" });
    assert.equal(errorOf(await get(wireClient(t, { ca: pem("good") }), server)), "tls_weak");
  }
});

test("a peer that does not speak TLS, or stalls in the handshake (HOSTILE N12)", async (t) => {
  const plain = await listening(
    t,
    net.createServer(
      (socket) => void socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\n\r\n"),
    ),
  );
  assert.equal(errorOf(await get(wireClient(t), plain)), "tls_protocol");
  const silent = await listening(
    t,
    net.createServer((socket) => void socket.on("error", () => {})),
  );
  const client = wireClient(t, { limits: { connectMs: 80 } });
  assert.equal(errorOf(await get(client, silent)), "connect_timeout");
  await turns(5);
  assert.equal(client.openSockets, 0);
  const closing = await listening(
    t,
    net.createServer((socket) => void socket.on("error", () => {}).end()),
  );
  assert.equal(errorOf(await get(wireClient(t), closing)), "reset");
});
