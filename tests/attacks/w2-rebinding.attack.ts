import { connect } from "node:net";
import type { Attack } from "./attack.ts";
import { ask, withWatchedCrawl } from "./watched-crawl.ts";

const PATHS = ["/", "/app.js", "/metrics", "/healthz", "/api/status", "/api/events"];

/** Row W2: a name that leads here answers nothing, and nobody else's address does. */
export const attack: Attack = {
  row: "W2",
  what: "other names in the Host header, other addresses of the machine",
  run: ({ program }) =>
    withWatchedCrawl(program, async ({ port, token }) => {
      const problems: string[] = [];
      const names = ["evil.example", `evil.example:${port}`, `127.0.0.1.evil.example:${port}`];
      const others = [`10.0.0.1:${port}`, `localhost.:${port}`, `127.0.0.1:${port + 1}`, "["];
      for (const host of [...names, ...others])
        for (const path of PATHS) {
          const headers = { Host: host, Authorization: `Bearer ${token}` };
          const { status } = await ask(port, path, { headers });
          // A header that is no Host at all does not even reach us.
          if (![421, 403, 400].includes(status)) problems.push(`${host} ${path}: ${status}`);
        }
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
        const { status } = await ask(port, "/healthz", { headers: { Host: host } });
        if (status !== 200) problems.push(`${host}: ${status}`);
      }
      if (await isOpen("127.0.0.2", port)) problems.push("it listens on 127.0.0.2, too");
      return {
        figures: { W2: { asked: PATHS.length * (names.length + others.length) } },
        problems,
      };
    }),
  mutants: [
    { name: "any name will do", from: "(isOwn || (isOpen", to: "(true || (isOpen" },
    { name: "any port will do", from: "host?.port === port &&", to: "" },
    {
      name: "listens on all addresses",
      from: "server.listen(rules.port, address)",
      to: 'server.listen(rules.port, "0.0.0.0")',
    },
  ],
};

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
