import { existsSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import { withFolder } from "../faults/drill.ts";
import type { Attack } from "./attack.ts";
import { sendPage, withServer } from "./loopback-server.ts";
import { runProgram } from "./program-run.ts";

const OPEN = ["0.0.0.0", "::", "192.0.2.1"];
const MAX_MS = 15_000;

/** Row W6: who opens a dashboard to others chooses a token, or does not start. */
export const attack: Attack = {
  row: "W6",
  what: "--listen with an address that others reach, without a token or with a short one",
  run: ({ program }) =>
    withServer(
      (_request, response) => sendPage(response, "one page"),
      (port) =>
        withFolder(async (folder) => {
          const problems: string[] = [];
          const crawl = ["crawl", `http://127.0.0.1:${port}/`, "--quiet", "--dashboard", "--out"];
          const finished = join(folder, "finished");
          await runProgram(program, [...crawl, finished]);
          const tries = OPEN.flatMap((address) => [
            { args: [...crawl, join(folder, "out"), "--listen", address], env: {} },
            { args: ["dashboard", finished, "--listen", address], env: {} },
            {
              args: [...crawl, join(folder, "out"), "--listen", address],
              env: { ORBWEAVER_DASHBOARD_TOKEN: "short" },
            },
          ]);
          for (const { args, env } of tries) {
            const { code, stderr } = await runProgram(program, args, { maxMs: MAX_MS, env });
            const what = `${args[0]} ${args.at(-1)} ${JSON.stringify(env)}`;
            if (code !== EXIT.usage) problems.push(`${what}: exit code ${code}`);
            if (!/token/.test(stderr)) problems.push(`${what}: says ${JSON.stringify(stderr)}`);
            if (existsSync(join(folder, "out"))) problems.push(`${what}: made a folder`);
          }
          return { figures: { W6: { tries: tries.length } }, problems };
        }),
    ),
  mutants: [
    {
      name: "no token is asked for",
      from: "!LOOPBACK.test(address) && token === undefined",
      to: "false",
    },
    {
      name: "any token is long enough",
      from: "token.length < MIN_TOKEN_LENGTH",
      to: "false",
    },
  ],
};
