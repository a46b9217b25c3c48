import { type CommandIo, serveUntilSignal } from "../serving/until-signal.ts";
import { HOSTILE_BLOCK, type HostileWeb, startHostileWeb } from "./hostile-web.ts";

/** Serves the hostile web until the signal fires; prints where it is before, and what it saw after. */
export async function runHostileWeb(port: number | undefined, io: CommandIo): Promise<void> {
  const web = await startHostileWeb(port === undefined ? {} : { port });
  const announcement = () => ({
    start: [web.start],
    port: web.port,
    allow: HOSTILE_BLOCK,
    nameServer: web.nameServer,
    authority: web.authority,
    cases: web.cases.map(
      ({ pages: _pages, secure, names: _names, onConnect: _on, ...described }) => ({
        ...described,
        ...(secure === undefined ? {} : { tls: true }),
      }),
    ),
  });
  await serveUntilSignal({ ...web, announcement, explanation: () => explain(web) }, io);
}

function explain(web: HostileWeb): string {
  return `Serving ${web.cases.length} bad hosts, listed at ${web.start}

  curl -s ${web.start}ca.pem >hostile-ca.pem
  NODE_EXTRA_CA_CERTS=hostile-ca.pem npx orbweaver crawl ${web.start} --scope any --delay 50 \\
    --allow-private ${HOSTILE_BLOCK} --contact you@example.org --name-server ${web.nameServer} --max-wait 5s

${web.start}report.json tells what the hosts saw; docs/hostile.md what they serve. Ctrl-C ends it.
`;
}
