import type { Expected, Family, HostileCase } from "../case.ts";
import { drip, links, page, redirect } from "../reply.ts";

/** A link to each of these must end as a refusal, without a connection. */
function blocked(urls: readonly string[]): Expected[] {
  return [
    { outcome: "page" },
    ...urls.map(
      (url): Expected => ({
        at: new URL(url).href,
        outcome: "refused",
        error: "blocked_private_address",
      }),
    ),
  ];
}

function linked(row: string, name: string, serves: string, urls: readonly string[]): HostileCase {
  return { row, name, serves, expected: blocked(urls), pages: { "/": links(urls) } };
}

/** N1 to N5: addresses that a crawler must not visit, in all their spellings. */
export const addresses: Family = ({ port, canary, canary6 }) => {
  const hidden = [
    "http://2130706433:P/n2-decimal",
    "http://0x7f.1:P/n2-hex",
    "http://127.1:P/n2-short",
    "http://0177.0.0.1:P/n2-octal",
    "http://0x7f000001:P/n2-hex-whole",
    "http://\u2460\u2461\u2466.0.0.1:P/n2-circled",
    "http://\uff11\uff12\uff17.0.0.1:P/n2-full-width",
    "http://127.0.0.1.:P/n2-dot",
    "http://127%2e0%2e0%2e1:P/n2-escaped",
    "http://127\u30020.0.1:P/n2-ideographic",
  ].map((url) => url.replace(":P", `:${port}`));
  return [
    linked("N1", "links", "links to private, shared, link-local and metadata addresses", [
      `http://${canary}/n1`,
      "http://10.0.0.1/n1",
      "http://10.255.255.254:8080/n1",
      "http://192.168.0.1/n1",
      "http://172.16.0.1/n1",
      "http://172.31.255.254/n1",
      "http://100.64.0.1/n1",
      "http://100.127.255.254/n1",
      "http://169.254.169.254/latest/meta-data/",
      "http://169.254.170.2/n1",
      `http://0.0.0.0:${port}/n1`,
      "http://127.255.255.254/n1",
      "http://224.0.0.1/n1",
      "http://255.255.255.255/n1",
      `https://${canary}/n1`,
    ]),
    {
      row: "N1",
      name: "refresh",
      serves: "a meta refresh to this machine",
      expected: blocked([`http://${canary}/n1-refresh`]),
      pages: {
        "/": page(`<meta http-equiv=refresh content="0;url=http://${canary}/n1-refresh">`),
      },
    },
    {
      row: "N1",
      name: "frames",
      serves: "frames and image maps of private hosts",
      expected: blocked([`http://${canary}/n1-frame`, "http://10.9.8.7/n1-area"]),
      pages: {
        "/": page(
          `<iframe src="http://${canary}/n1-frame"></iframe><map><area href=http://10.9.8.7/n1-area></map>`,
        ),
      },
    },
    linked(
      "N2",
      "spellings",
      "127.0.0.1 as a number, in hexadecimal, short, in odd digits",
      hidden,
    ),
    linked("N3", "ipv6", "loopback, link-local and private addresses of IPv6, and IPv4 inside", [
      `http://${canary6}/n3`,
      `http://[0:0:0:0:0:0:0:1]:${port}/n3-long`,
      `http://[::]:${port}/n3`,
      "http://[fe80::1]/n3",
      "http://[fc00::1]/n3",
      "http://[fd12:3456::1]/n3",
      "http://[fec0::1]/n3",
      `http://[::ffff:127.0.0.1]:${port}/n3`,
      `http://[::127.0.0.1]:${port}/n3-compatible`,
      "http://[64:ff9b::7f00:1]/n3",
      "http://[64:ff9b::10.0.0.1]/n3",
      "http://[2002:7f00:1::]/n3",
      "http://[2001:0:7f00:1::]/n3-teredo",
      "http://[fd00:ec2::254]/latest/",
      "http://[ff02::1]/n3",
    ]),
    {
      ...linked("N4", "names", "names that lead to private addresses, also beside a public one", [
        `http://localhost:${port}/n4`,
        `http://localhost.:${port}/n4-dot`,
        `http://LOCALHOST.:${port}/n4-capitals`,
        `http://a.localhost:${port}/n4`,
        `http://private.hostile.test:${port}/n4`,
        `http://mixed.hostile.test:${port}/n4`,
        `http://mixed6.hostile.test:${port}/n4`,
        `http://metadata.hostile.test/n4`,
      ]),
      names: {
        "private.hostile.test": (_own, family) => records(family, 4, "127.0.0.1"),
        "mixed.hostile.test": (_own, family) => records(family, 4, "93.184.216.34", "127.0.0.1"),
        "mixed6.hostile.test": (_own, family) =>
          family === 4
            ? { records: ["93.184.216.34"] }
            : { records: ["0000:0000:0000:0000:0000:0000:0000:0001"] },
        "metadata.hostile.test": (_own, family) => records(family, 4, "169.254.169.254"),
      },
    },
    {
      row: "N5",
      name: "rebinding",
      serves: "a name that is this host at the first question and 127.0.0.1 at every later one",
      entry: `http://rebinding.hostile.test:${port}/`,
      expected: [
        { outcome: "page" },
        {
          at: `http://rebinding.hostile.test:${port}/again`,
          outcome: "page",
          orRefused: "blocked_private_address",
          title: "/again",
        },
      ],
      pages: { "/": links(["/again"]), "/again": page() },
      names: { "rebinding.hostile.test": rebinding },
    },
    {
      row: "N5",
      name: "rebinding-late",
      serves: "the same, with a link that is found when the first answer has expired (35 s)",
      slow: true,
      expected: [
        { outcome: "page" },
        {
          at: `http://late.hostile.test:${port}/first`,
          outcome: "page",
          orRefused: "blocked_private_address",
        },
        { at: "/slow", outcome: "page" },
        {
          at: `http://late.hostile.test:${port}/second`,
          outcome: "refused",
          error: "blocked_private_address",
        },
      ],
      pages: {
        "/": links(["/slow", `http://late.hostile.test:${port}/first`]),
        "/first": page(),
        "/slow": ({ socket }) => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n");
          drip(socket, 500, (n) => {
            if (n < 70) return `${" ".repeat(511)}\n`;
            socket.end(`<a href="http://late.hostile.test:${port}/second">x</a>`);
            return "";
          });
        },
      },
      names: { "late.hostile.test": rebinding },
    },
  ];
};

function records(asked: 4 | 6, family: 4 | 6, ...list: string[]): { records: string[] } {
  return { records: asked === family ? list : [] };
}

/** The first answer is right and expires at once; all others are 127.0.0.1. */
function rebinding(own: string, family: 4 | 6, nth: number): { records: string[]; ttl: number } {
  if (family === 6) return { records: [], ttl: 0 };
  return { records: [nth === 1 ? own : "127.0.0.1"], ttl: 0 };
}

/** N6 to N10: redirects, schemes, ports and links that lead where a crawler must not go. */
export const detours: Family = ({ port, target, evil, canary }) => {
  const metadata = "http://169.254.169.254/latest/";
  const hops = (name: string, count: number, last: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        i === 0 ? "/" : `/${name}${i}`,
        redirect(i + 1 < count ? `/${name}${i + 1}` : last, [301, 302, 303, 307, 308][i % 5]),
      ]),
    );
  const hop = (name: string, serves: string, count: number, last: string): HostileCase => ({
    row: "N6",
    name,
    serves,
    expected: [
      { outcome: "redirect" },
      { at: last, outcome: "refused", error: "blocked_private_address" },
    ],
    pages: hops(name, count, last),
  });
  const schemes = [
    "file:///etc/passwd",
    "ftp://127.0.0.1/n7",
    "data:text/html,<a href=http://127.0.0.1/n7>x</a>",
    "javascript:alert('n7')",
    "gopher://127.0.0.1:70/n7",
    `ws://${canary}/n7`,
    "view-source:http://127.0.0.1/n7",
    "blob:http://127.0.0.1/n7",
    "mailto:n7@hostile.test",
  ];
  const ports = [22, 25, 6379, 6000, 10080, 11211, 0].map(
    (bad) => `${target.split(":")[0]}:${bad}`,
  );
  const spellings: [string, string][] = [
    [`http:\\\\${evil}\\n10-backslashes`, "n10-backslashes"],
    [`//${evil}/n10-no-scheme`, "n10-no-scheme"],
    [`\\\\${evil}/n10-unc`, "n10-unc"],
    [`/\\${evil}/n10-mixed`, "n10-mixed"],
    [`http://h@${evil}/n10-user`, "n10-user"],
    [`http://${target}@${evil}/n10-user-like-host`, "n10-user-like-host"],
    [`http:///${evil}/n10-three`, "n10-three"],
    [`ht\ntp://${evil}/n10-line-feed`, "n10-line-feed"],
    [` http://${evil}/n10-spaces `, "n10-spaces"],
  ];
  return [
    hop("first", "a redirect to a metadata service", 1, `${metadata}first`),
    hop("middle", "the third of five redirects leads there", 3, `${metadata}middle`),
    hop("last", "the tenth redirect leads there", 10, `${metadata}last`),
    hop("here", "two redirects to this machine", 2, `http://${canary}/n6`),
    hop("localhost", "a redirect to localhost.", 1, `http://localhost.:${port}/n6`),
    ...schemes.map(
      (url, i): HostileCase => ({
        row: "N7",
        name: `redirect-${i + 1}-${url.slice(0, url.indexOf(":"))}`,
        serves: `a redirect to ${url.split("<")[0]}`,
        expected: [{ outcome: "failed", error: "blocked_scheme" }],
        pages: { "/": redirect(url) },
      }),
    ),
    {
      row: "N7",
      name: "links",
      serves: "links to the same schemes",
      expected: [
        { outcome: "page" },
        ...schemes.map((at): Expected => ({ at, outcome: "skipped", error: "blocked_scheme" })),
      ],
      pages: { "/": links(schemes) },
    },
    {
      row: "N9",
      name: "links",
      serves: "links to the ports of SSH, mail, Redis, X11, Amanda, memcached, and 0",
      expected: [
        { outcome: "page" },
        ...ports.map(
          (authority): Expected => ({
            at: `http://${authority}/`,
            outcome: "refused",
            error: "blocked_port",
          }),
        ),
      ],
      pages: { "/": links(ports.map((authority) => `http://${authority}/`)) },
    },
    {
      row: "N9",
      name: "redirect",
      serves: "a redirect to the mail port",
      expected: [
        { outcome: "redirect" },
        {
          at: `http://${target.split(":")[0]}:25/n9`,
          outcome: "refused",
          error: "blocked_port",
        },
      ],
      pages: { "/": redirect(`http://${target.split(":")[0]}:25/n9`) },
    },
    {
      row: "N10",
      name: "spellings",
      serves: "links that look local and lead to another host",
      expected: [
        { outcome: "page" },
        ...spellings.map(
          ([, path]): Expected => ({ at: `http://${evil}/${path}`, outcome: "page" }),
        ),
      ],
      pages: { "/": links(spellings.map(([url]) => url)) },
    },
  ];
};
