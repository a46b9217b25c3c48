import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConsentConfig, pinConsents } from "../../../src/fetch/route/consent.ts";
import { NameServer } from "../../../src/web/hostile/name-server.ts";

const NO_SETTINGS: ConsentConfig = {
  consentedHosts: [],
  allowPrivate: [],
  resolve: [],
  nameServers: [],
  loopbackOnly: false,
  proxies: [],
};

/** Answers by name; what is not there does not exist. */
async function serve(names: Record<string, readonly string[]>) {
  const server = await NameServer.start((name, family) => {
    const records = names[name]?.filter((ip) => ip.includes(":") === (family === 6));
    return records === undefined ? { rcode: 3 } : { records: [...records] };
  });
  return { server, settings: { ...NO_SETTINGS, nameServers: [server.address] } };
}

test("what a typed name and a permitted name mean is looked up once, private addresses only", async (t) => {
  const names: Record<string, readonly string[]> = {
    "public.test": ["93.184.216.34"],
    "mixed.test": ["93.184.216.34", "10.0.0.1", "fd00:0:0:0:0:0:0:7"],
    "intranet.test": ["10.0.0.2"],
  };
  const { server, settings } = await serve(names);
  t.after(() => server.close());
  const config = {
    ...settings,
    consentedHosts: [
      "public.test:80",
      "mixed.test:8080",
      "gone.test:80",
      "[::1]:80",
      "10.1.1.1:80",
    ],
    allowPrivate: ["Intranet.TEST.", "10.2.0.0/16", "10.3.0.1"],
  };
  const pinned = await pinConsents(config);
  assert.deepEqual(pinned, [
    { host: "public.test", port: 80, addresses: [] },
    { host: "mixed.test", port: 8080, addresses: ["10.0.0.1", "fd00::7"] },
    { host: "gone.test", port: 80, addresses: [] },
    { host: "::1", port: 80, addresses: ["::1"] },
    { host: "10.1.1.1", port: 80, addresses: ["10.1.1.1"] },
    { host: "intranet.test", addresses: ["10.0.0.2"] },
  ]);
  // The next run: nothing that was pinned changes, also not what meant nothing; what is new is looked up.
  const asked = server.questions.length;
  for (const name of Object.keys(names)) names[name] = ["169.254.169.254"];
  names["gone.test"] = ["169.254.169.254"];
  names["new.test"] = ["10.0.0.9"];
  const next = { ...config, allowPrivate: [...config.allowPrivate, "new.test"] };
  assert.deepEqual(await pinConsents(next, pinned), [
    ...pinned,
    { host: "new.test", addresses: ["10.0.0.9"] },
  ]);
  assert.equal(server.questions.length, asked + 2);
});

test("--resolve and localhost need no name server; without a contact, or through a proxy, none is asked", async (t) => {
  const { server, settings } = await serve({ "a.test": ["10.0.0.1"] });
  t.after(() => server.close());
  const config = {
    ...settings,
    consentedHosts: ["fixed.test:80", "localhost:80", "a.test:80"],
    resolve: ["fixed.test:10.9.9.9:8080"],
  };
  const known = [
    { host: "fixed.test", port: 80, addresses: ["10.9.9.9"] },
    { host: "localhost", port: 80, addresses: ["127.0.0.1", "::1"] },
  ];
  const nothing = [...known, { host: "a.test", port: 80, addresses: [] }];
  assert.deepEqual(await pinConsents({ ...config, loopbackOnly: true }), nothing);
  assert.deepEqual(await pinConsents({ ...config, proxies: ["http://127.0.0.1:1"] }), nothing);
  assert.deepEqual(server.questions, []);
  const some = await pinConsents({ ...config, proxies: ["https=http://127.0.0.1:1"] });
  assert.deepEqual(some, [...known, { host: "a.test", port: 80, addresses: ["10.0.0.1"] }]);
});
