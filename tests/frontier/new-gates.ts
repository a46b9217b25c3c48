import type { Gates } from "../../src/frontier/gatekeeper.ts";
import { GateTable, gateBytes } from "../../src/sync/gate-table.ts";
import { MaximumTable, maximumBytes } from "../../src/sync/maximum-table.ts";

/** Gate tables in memory of their own; the result opens them for one owner. */
export function newGates(slots: number): (owner: number) => Gates {
  const [hosts, addresses, starts] = [0, 1, 2].map(() => new SharedArrayBuffer(gateBytes(slots)));
  const [delays, holds] = [0, 1].map(() => new SharedArrayBuffer(maximumBytes(slots)));
  return (owner) => ({
    hosts: new GateTable(hosts!, owner),
    addresses: new GateTable(addresses!, owner),
    starts: new GateTable(starts!, owner),
    delays: new MaximumTable(delays!),
    holds: new MaximumTable(holds!),
  });
}
