import type { Family, HostileCase } from "../case.ts";
import { makeCertificate } from "../certificate.ts";
import { page, redirect } from "../reply.ts";

/** A1 and A2: credentials must reach only the server they were meant for. */
export const credentials: Family = ({ port, target, issuer }) => {
  const moved = (
    name: string,
    serves: string,
    to: string,
    rest: Partial<HostileCase> = {},
  ): HostileCase => ({
    row: "A1",
    name,
    serves,
    expected: [{ outcome: "redirect" }, { at: to, outcome: "page" }],
    pages: {
      "/": (visit) => {
        const text = `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nSet-Cookie: session=a1-${name}; Path=/\r\nContent-Length: 0\r\n\r\n`;
        visit.socket.write(text);
      },
      "/here": page(),
    },
    ...rest,
  });
  return [
    moved(
      "other-host",
      "a cookie, then a redirect to another host",
      `http://${target}/a1-other-host`,
    ),
    {
      ...moved("same-host", "a cookie, then a redirect within its host, where it belongs", "/here"),
      needs: "cookies",
    },
    {
      row: "A1",
      name: "with-password",
      serves: "a redirect to another host with a password in it",
      expected: [{ outcome: "redirect" }, { at: `http://${target}/a1-password`, outcome: "page" }],
      pages: { "/": redirect(`http://u:hunter2@${target}/a1-password`) },
    },
    {
      row: "A1",
      name: "to-http",
      serves: "a redirect from https to http of the same host, which is another port, too",
      expected: [{ outcome: "redirect" }, { at: "/plain", plain: true, outcome: "page" }],
      pages: {
        "/": (visit) => {
          const to = `${visit.origin}/plain`;
          visit.socket.write(
            `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nSet-Cookie: session=a1-secure; Path=/; Secure\r\nContent-Length: 0\r\n\r\n`,
          );
        },
        "/plain": page(),
      },
      secure: (address) => ({
        context: makeCertificate({ name: address, hosts: [address], issuer }),
      }),
    },
    {
      row: "A2",
      name: "challenge",
      serves: "407 Proxy Authentication Required from a server that is no proxy",
      expected: [{ outcome: "failed", error: "http_407" }],
      pages: {
        "/": (visit) => {
          visit.socket.write(
            'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n',
          );
        },
      },
    },
    {
      row: "A1",
      name: "challenge",
      serves: "401 Unauthorized",
      expected: [{ outcome: "failed", error: "http_401" }],
      pages: {
        "/": (visit) => {
          visit.socket.write(
            `HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="${port}"\r\nContent-Length: 0\r\n\r\n`,
          );
        },
      },
    },
  ];
};
