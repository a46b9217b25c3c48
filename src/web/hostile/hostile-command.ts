import { UsageError } from "../../errors.ts";
import type { CommandIo, WebCommandOptions } from "../serve-command.ts";
import { HOSTILE_BLOCK, type HostileWeb, startHostileWeb } from "./hostile-web.ts";

/** Serves the hostile web until the signal fires; prints where it is before, and what it saw after. */
export async function runHostileWeb(options: WebCommandOptions, io: CommandIo): Promise<void> {
  const { profile: _profile, port, ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new UsageError(
      "the hostile web takes --port and nothing else: its rows are what they are",
    );
  }
  const web = await startHostileWeb(port === undefined ? {} : { port });
  try {
    const cases = web.cases.map(
      ({ pages: _pages, secure, names: _names, onConnect: _on, ...rest }) => ({
        ...rest,
        ...(secure === undefined ? {} : { tls: true }),
      }),
    );
    const { start, nameServer, authority } = web;
    const line = {
      start: [start],
      port: web.port,
      allow: HOSTILE_BLOCK,
      nameServer,
      authority,
      cases,
    };
    io.stdout.write(`${JSON.stringify(line)}\n`);
    io.stderr.write(explain(web));
    if (!io.signal.aborted) {
      await new Promise((resolve) => io.signal.addEventListener("abort", resolve, { once: true }));
    }
    io.stdout.write(`${JSON.stringify({ report: web.report() })}\n`);
  } finally {
    await web.close();
  }
}

function explain(web: HostileWeb): string {
  return `Serving ${web.cases.length} bad hosts, listed at ${web.start}

  curl -s ${web.start}ca.pem >hostile-ca.pem
  NODE_EXTRA_CA_CERTS=hostile-ca.pem npx orbweaver crawl ${web.start} --scope any --delay 50 \\
    --allow-private ${HOSTILE_BLOCK} --contact you@example.org --name-server ${web.nameServer} --max-wait 5s

${web.start}report.json tells what the hosts saw; docs/hostile.md what they serve. Ctrl-C ends it.
`;
}
