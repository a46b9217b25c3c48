// The process of an even web: answers every message with the number of pages served, and ends when its channel closes.

import { PROFILES } from "../../build/src/web/profile.js";
import { listenAll, nthAddress } from "../../build/src/web/serving/listen.js";
import { PolitenessMeter } from "../../build/src/web/serving/meter.js";
import { Connection } from "../../build/src/web/serving/server-connection.js";
import { VariedNames } from "../../build/src/web/synthetic/page-names.js";
import { SyntheticContent } from "../../build/src/web/synthetic/synthetic-web.js";
import { evenGraph, LINKS } from "./even-graph.mjs";

const [hosts, pagesPerHost] = process.argv.slice(2).map(Number);
const graph = evenGraph(hosts, pagesPerHost);
const sizes = { meanLinks: LINKS, minBytes: 1024, maxBytes: 8192 };
const profile = { ...PROFILES.small, ...sizes, hosts, pages: graph.pages };
const addresses = Array.from({ length: hosts }, (_, host) => nthAddress("127.0.0.1", host));
let exchange;
const { port } = await listenAll(addresses, 0, (socket) => new Connection(socket, exchange));
const authorities = addresses.map((address) => `${address}:${port}`);
const indexes = new Map(authorities.map((authority, host) => [authority, host]));
const content = new SyntheticContent(profile, graph, new VariedNames(1, false), authorities);
exchange = {
  content,
  meter: new PolitenessMeter(authorities, () => 0),
  hostIndex: (authority) => indexes.get(authority) ?? -1,
  now: () => performance.now(),
};
process.on("message", () => process.send({ pages: content.served().pages }));
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => {});
process.send({ start: content.start() });
