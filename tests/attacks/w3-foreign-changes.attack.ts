import { existsSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import type { Attack } from "./attack.ts";
import { ask, comesTrue, type Question, withWatchedCrawl } from "./watched-crawl.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "Content-Type": "application/json" };
const STOP = "/api/control/stop";

/** Row W3: whoever is not the page, or has no token, changes nothing; reading changes nothing either. */
export const attack: Attack = {
  row: "W3",
  what: "POST from another origin, without token, as a form; GET of everything that changes",
  run: ({ program }) =>
    withWatchedCrawl(program, async ({ port, token, out, pages, ended }) => {
      const problems: string[] = [];
      const bearer = { Authorization: `Bearer ${token}` };
      const own = { Origin: `http://127.0.0.1:${port}` };
      const tries: [status: number, path: string, question: Question][] = [
        [403, STOP, { headers: JSON_TYPE, body: "{}" }],
        [403, STOP, { headers: FORM, body: "a=b" }],
        [403, `${STOP}?token=${token}`, { headers: JSON_TYPE, body: "{}" }],
        [403, STOP, { headers: { ...JSON_TYPE, Authorization: "Bearer x" }, body: "{}" }],
        [403, STOP, { headers: { ...JSON_TYPE, ...bearer, Origin: "http://evil.example" } }],
        [403, STOP, { headers: { ...JSON_TYPE, ...bearer, Origin: "null" } }],
        [403, STOP, { headers: { ...JSON_TYPE, ...bearer, Origin: `https://127.0.0.1:${port}` } }],
        [403, STOP, { headers: { ...JSON_TYPE, ...bearer, "Sec-Fetch-Site": "cross-site" } }],
        [403, STOP, { headers: { ...JSON_TYPE, ...bearer, "Sec-Fetch-Site": "same-site" } }],
        [415, STOP, { headers: { ...FORM, ...bearer, ...own }, body: "a=b" }],
        [415, STOP, { headers: { "Content-Type": "text/plain", ...bearer }, body: "{}" }],
        [404, "/stop", { headers: { ...JSON_TYPE, ...bearer }, body: "{}" }],
        [404, STOP, { method: "GET", headers: bearer }],
        [404, `${STOP}?token=${token}`, { method: "GET" }],
        [405, STOP, { method: "PUT", headers: { ...JSON_TYPE, ...bearer }, body: "{}" }],
        [405, STOP, { method: "OPTIONS", headers: { Origin: "http://evil.example" } }],
      ];
      for (const [expected, path, question] of tries) {
        const asked = { method: "POST", ...question };
        // A crawl that somebody has stopped answers no more.
        const { status } = await ask(port, path, asked).catch(() => ({ status: 0 }));
        const shown = path.replace(token, "TOKEN");
        if (status !== expected)
          problems.push(`${asked.method} ${shown} ${JSON.stringify(asked.headers)}: ${status}`);
      }
      if (existsSync(join(out, "logs", "control.jsonl"))) problems.push("the crawl was changed");
      const figures = { W3: { tries: tries.length } };
      if (problems.length > 0) return { figures, problems };
      const before = await pages();
      if (!(await comesTrue(async () => (await pages()) > before)))
        problems.push("the crawl goes on no more");
      const headers = { ...JSON_TYPE, ...bearer, ...own };
      const { status } = await ask(port, STOP, { method: "POST", headers, body: "{}" });
      const { code } = await ended;
      if (status !== 200 || code !== EXIT.interrupted)
        problems.push(`the page itself cannot stop it: ${status}, exit code ${code}`);
      return { figures, problems };
    }),
  mutants: [
    {
      name: "no look at the origin",
      from: "originRefusal(request) ??",
      to: "",
    },
    {
      name: "no token for changes",
      from: "?? tokenRefusal(request, query, this.#parts.token)",
      to: "",
    },
    {
      name: "a token in the address changes, too",
      from: 'request.method === "GET" ? query.get("token") : null',
      to: 'query.get("token")',
    },
    {
      name: "a form will do",
      from: "/^application\\/json\\b/.test(",
      to: "/./.test(",
    },
    {
      name: "reading changes",
      from: 'if (method === "POST")',
      to: 'if (method === "POST" || path.startsWith("/api/control/"))',
    },
  ],
};
