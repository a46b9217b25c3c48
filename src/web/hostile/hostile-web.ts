import type { Socket } from "node:net";
import tls from "node:tls";
import { type Listeners, listenAll, nthAddress } from "../serving/listen.ts";
import type { HostileCase, NameAnswer, Places } from "./case.ts";
import { makeCertificate } from "./certificate.ts";
import { ownHosts } from "./index-page.ts";
import { NameServer } from "./name-server.ts";
import { prepare } from "./reply.ts";
import { allCases } from "./rows/all-rows.ts";
import { CaseServer } from "./serve-case.ts";
import { Witness, type WitnessReport } from "./witness.ts";

const INDEX = "127.66.0.1";
const TARGET = "127.66.0.2";
const EVIL = "127.66.0.3";
const FIRST_CASE = "127.66.1.1";

/** The addresses a crawl of the hostile web has to be allowed; 127.0.0.1 is not among them. */
export const HOSTILE_BLOCK = "127.66.0.0/16";

/** A case with the host that serves it. */
export interface PlayedCase extends HostileCase {
  readonly address: string;
  /** First URL of the case. */
  readonly url: string;
}

/** A hostile web that is listening. */
export interface HostileWeb {
  readonly port: number;
  /** The page with links to everything. */
  readonly start: string;
  readonly cases: readonly PlayedCase[];
  /** The authority behind those certificates that are in order; PEM. */
  readonly authority: string;
  /** address:port of the name server for hostile.test. */
  readonly nameServer: string;
  report(): WitnessReport;
  close(): Promise<void>;
}

/** How to start. */
export interface HostileOptions {
  readonly port?: number;
  /** False makes bombs only when they are requested, for a quick start. */
  readonly prepared?: boolean;
}

type Handler = (socket: Socket) => void;

/** Listens on loopback, one address per case, so that the effects of one case stay apart from the others. */
export async function startHostileWeb(options: HostileOptions = {}): Promise<HostileWeb> {
  const witness = new Witness();
  const sockets = new Set<Socket>();
  const [plain, secure] = [new Map<string, Handler>(), new Map<string, Handler>()];
  const accept = (handlers: Map<string, Handler>) => (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // clients that have had enough reset: that is the point
    const handler = handlers.get(socket.localAddress ?? "");
    if (handler === undefined) socket.destroy();
    else handler(socket);
  };
  const listeners: Listeners[] = [];
  const listen = async (addresses: string[], port: number, handlers: Map<string, Handler>) => {
    const made = await listenAll(addresses, port, accept(handlers));
    listeners.push(made);
    return made.port;
  };
  const authority = makeCertificate({ name: "Hostile web authority", authority: true });
  const port = await listen(["127.0.0.1"], options.port ?? 0, plain);
  const securePort = await listen(["127.0.0.1"], 0, secure);
  const places: Places = {
    port,
    securePort,
    target: `${TARGET}:${port}`,
    evil: `${EVIL}:${port}`,
    canary: `127.0.0.1:${port}`,
    canary6: `[::1]:${port}`,
    issuer: authority.issuer,
  };
  const cases = allCases(places).map((hostile, i): PlayedCase => {
    const address = nthAddress(FIRST_CASE, i);
    return { ...hostile, address, url: firstUrl(hostile, address, places) };
  });
  const play = (hostile: HostileCase, address: string): void => {
    const server = new CaseServer(hostile, `http://${address}:${port}`, witness);
    plain.set(address, (socket) => server.serve(socket, witness.connected(address, socket)));
    if (hostile.secure !== undefined) {
      secure.set(address, secured(hostile.secure(address), server, witness, address));
    }
  };
  for (const hostile of cases) play(hostile, hostile.address);
  const hosts = ownHosts(cases, places, authority.cert, () => witness.report());
  play(hosts.index, INDEX);
  for (const address of [TARGET, EVIL]) play(hosts.target, address);
  for (const address of ["127.0.0.1", "::1"]) play(hosts.canary, address);
  const own = cases.map(({ address }) => address);
  await listen([INDEX, TARGET, EVIL, ...own], port, plain);
  const encrypted = cases.filter((hostile) => hostile.secure !== undefined);
  await listen([TARGET, ...encrypted.map(({ address }) => address)], securePort, secure);
  // Not every machine has IPv6; without it a crawler cannot connect there either.
  await listen(["::1"], port, plain).catch(() => {});
  if (options.prepared !== false) prepare();
  const answers = new Map<string, [NameAnswer, string]>();
  for (const { names: own = {}, address } of cases) {
    for (const [name, answer] of Object.entries(own)) answers.set(name, [answer, address]);
  }
  const nameServer = await NameServer.start((name, family, nth) => {
    const [answer, address] = answers.get(name) ?? [];
    return answer === undefined ? { rcode: NO_SUCH_NAME } : answer(address!, family, nth);
  }, INDEX);
  return {
    port,
    start: `http://${INDEX}:${port}/`,
    cases,
    authority: authority.cert,
    nameServer: nameServer.address,
    report: () => witness.report(),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([nameServer.close(), ...listeners.map((each) => each.close())]);
    },
  };
}

const NO_SUCH_NAME = 3;

function firstUrl(hostile: HostileCase, address: string, places: Places): string {
  const { entry = "/", secure } = hostile;
  if (/^https?:/.test(entry)) return entry;
  return secure === undefined
    ? `http://${address}:${places.port}${entry}`
    : `https://${address}:${places.securePort}${entry}`;
}

/** TLS in front of a case, or what the case does instead of a handshake. */
function secured(
  how: ReturnType<NonNullable<HostileCase["secure"]>>,
  server: CaseServer,
  witness: Witness,
  address: string,
): Handler {
  const { raw, wrap, context = {}, protocols } = how;
  if (raw !== undefined) {
    return (socket) => {
      witness.connected(address, socket);
      raw(socket);
    };
  }
  const secureContext = tls.createSecureContext(context);
  return (socket) => {
    const seen = witness.connected(address, socket);
    const inner = new tls.TLSSocket(wrap === undefined ? socket : (wrap(socket) as Socket), {
      isServer: true,
      secureContext,
      ...(protocols === undefined ? {} : { ALPNProtocols: protocols }),
    });
    server.serve(inner, seen);
  };
}
