import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { UsageError } from "../../../src/errors.ts";
import {
  type AddressKind,
  AddressPolicy,
  addressKind,
  isLoopback,
} from "../../../src/fetch/route/address.ts";

const KINDS: Record<AddressKind, string[]> = {
  public: [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "172.15.255.255",
    "100.63.255.255",
    "100.128.0.0",
    "192.0.1.1",
    "223.255.255.255",
    "198.20.0.1",
    "2606:4700::1111",
    "2a00::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
    "2001:200::1",
  ],
  private: [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "64:ff9b:1::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "::ffff:0:10.0.0.1",
    "2606:4700::5efe:10.0.0.1",
    "2606:4700::200:5efe:a00:1",
  ],
  loopback: [
    "127.0.0.1",
    "127.255.255.254",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "::127.0.0.1",
    "[::1]",
  ],
  link_local: ["169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1", "::ffff:169.254.1.1"],
  metadata: [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "2002:a9fe:a9fe::",
  ],
  unspecified: ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  reserved: [
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.1",
    "255.255.255.255",
    "192.88.99.1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "2001::1",
    "2001:2::1",
    "5f00::1",
    "4000::1",
    "::8.8.8.8",
    "not an address",
    "",
    "1.2.3",
    "256.1.1.1",
    "::g",
  ],
};

for (const [kind, addresses] of Object.entries(KINDS)) {
  test(`addresses that are ${kind}`, () => {
    for (const address of addresses) assert.equal(addressKind(address), kind, address);
  });
}

test("Teredo hides its client's address in inverted bits", () => {
  assert.equal(addressKind("2001:0:808:808:0:0:80ff:fffe"), "loopback");
  assert.equal(addressKind("2001:0:808:808:0:0:f7f7:f7f7"), "reserved");
  assert.ok(isLoopback("127.8.8.8") && !isLoopback("10.0.0.1"));
});

test("public IPv4 is what an independent block list leaves over", () => {
  const list = new BlockList();
  const blocks: [string, number][] = [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
    ["168.63.129.16", 32],
  ];
  for (const [net, prefix] of blocks) list.addSubnet(net, prefix);
  const near = fc
    .constantFrom(...blocks.map(([net]) => net))
    .chain((net) =>
      fc.integer({ min: -300, max: 300 }).map((offset) => (ipv4Number(net) + offset) >>> 0),
    );
  fc.assert(
    fc.property(fc.oneof(near, fc.nat(0xffffffff)), (bits) => {
      const address = [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
      const isPublic = !list.check(address);
      assert.equal(addressKind(address) === "public", isPublic, address);
      assert.equal(addressKind(`::ffff:${address}`) === "public", isPublic, address);
    }),
    { numRuns: 2_000 },
  );
});

function ipv4Number(address: string): number {
  return address.split(".").reduce((bits, part) => (bits << 8) | Number(part), 0);
}

test("every way of writing an IPv6 address has one kind", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const full = groups.map((group) => group.toString(16).padStart(4, "0")).join(":");
      const canonical = new URL(`http://[${full}]/`).hostname;
      assert.equal(addressKind(full), addressKind(canonical));
    }),
  );
});

const BLOCKED = "blocked_private_address";

test("N1-N3: hosts as the URL parser writes them are refused without consent", () => {
  const policy = new AddressPolicy({ consents: [], allow: [] });
  for (const host of [
    "127.0.0.1",
    "10.0.0.1",
    "2130706433",
    "0x7f.1",
    "127.1",
    "①②⑦.0.0.1",
    "127.0.0.1.",
    "0.0.0.0",
    "169.254.169.254",
    "[::1]",
    "[fe80::1]",
    "[fc00::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
  ]) {
    const { hostname } = new URL(`http://${host}/`);
    assert.equal(policy.refusal(hostname, 80, [hostname.replace(/[[\]]/g, "")]), BLOCKED, host);
  }
  assert.equal(policy.refusal("example.com", 80, ["8.8.8.8", "2606:4700::1111"]), undefined);
});

test("N4: one private answer among public ones refuses the name", () => {
  const policy = new AddressPolicy({ consents: [], allow: [] });
  for (const addresses of [
    ["8.8.8.8", "10.0.0.1"],
    ["10.0.0.1", "8.8.8.8"],
    ["8.8.8.8", "::1"],
  ]) {
    assert.equal(policy.refusal("example.com", 80, addresses), BLOCKED);
  }
});

test("consent holds for exactly one host, port and address", () => {
  const policy = new AddressPolicy({
    consents: [
      { host: "localhost", port: 8080, addresses: ["127.0.0.1"] },
      { host: "::1", port: 80, addresses: ["::1"] },
      { host: "public.test", port: 80, addresses: [] },
      { host: "six.test", port: 80, addresses: ["fd00:0:0::1", "10.0.0.7"] },
    ],
    allow: [],
  });
  assert.equal(policy.refusal("localhost", 8080, ["127.0.0.2"]), BLOCKED);
  assert.equal(policy.refusal("localhost", 8080, ["127.0.0.1", "169.254.169.254"]), BLOCKED);
  assert.equal(policy.refusal("localhost", 8080, ["127.0.0.1", "8.8.8.8"]), undefined);
  assert.equal(policy.refusal("public.test", 80, ["169.254.169.254"]), BLOCKED);
  assert.equal(policy.refusal("public.test", 80, ["8.8.8.8"]), undefined);
  assert.equal(policy.refusal("six.test", 80, ["fd00::1", "::ffff:10.0.0.7"]), undefined);
  assert.equal(policy.refusal("six.test", 80, ["fd00::2"]), BLOCKED);
  assert.equal(policy.refusal("localhost", 8080, ["127.0.0.1"]), undefined);
  assert.equal(policy.refusal("LOCALHOST.", 8080, ["127.0.0.1"]), undefined);
  assert.equal(policy.refusal("[::1]", 80, ["::1"]), undefined);
  assert.equal(policy.refusal("localhost", 8081, ["127.0.0.1"]), BLOCKED);
  assert.equal(policy.refusal("127.0.0.1", 8080, ["127.0.0.1"]), BLOCKED);
  assert.equal(policy.refusal("localhost.evil", 8080, ["127.0.0.1"]), BLOCKED);
});

test("--allow-private takes blocks, addresses and names", () => {
  const policy = new AddressPolicy({
    consents: ["intranet.example", "xn--bcher-kva.test"].map((host) => ({
      host,
      addresses: ["192.168.0.1"],
    })),
    allow: ["10.0.0.0/8", "127.0.0.1", "fd00::/8", "Intranet.Example.", "bücher.test"],
  });
  assert.equal(policy.refusal("a", 80, ["10.1.2.3"]), undefined);
  assert.equal(policy.refusal("a", 80, ["::ffff:10.1.2.3"]), undefined);
  assert.equal(policy.refusal("a", 80, ["127.0.0.1", "8.8.8.8"]), undefined);
  assert.equal(policy.refusal("a", 80, ["fd00::1"]), undefined);
  assert.equal(policy.refusal("intranet.example", 1, ["192.168.0.1"]), undefined);
  assert.equal(policy.refusal("xn--bcher-kva.test", 1, ["192.168.0.1"]), undefined);
  assert.equal(policy.refusal("a", 80, ["127.0.0.2"]), BLOCKED);
  assert.equal(policy.refusal("a", 80, ["10.1.2.3", "192.168.0.1"]), BLOCKED);
  assert.equal(policy.refusal("a", 80, ["2002:a01:203::"]), BLOCKED);
  assert.equal(policy.refusal("sub.intranet.example", 1, ["192.168.0.1"]), BLOCKED);
  assert.equal(policy.refusal("intranet.example", 1, ["192.168.0.2"]), BLOCKED);
});

test("a malformed --allow-private is told in a sentence", () => {
  for (const value of [
    "",
    "10.0.0.0/33",
    "10.0.0",
    "fd00::/129",
    "10.0.0.0/",
    "a b",
    "http://x/",
    "::g",
    "10.0.0.0/8/8",
    "x:80",
  ]) {
    assert.throws(
      () => new AddressPolicy({ consents: [], allow: [value] }),
      (error) =>
        error instanceof UsageError && error.message.includes(`"${value}"`) && error.exitCode === 2,
      value,
    );
  }
});
