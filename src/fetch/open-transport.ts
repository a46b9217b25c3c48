import type { Transport, TransportOptions } from "./transport.ts";
import { WireClient } from "./wire/client.ts";

/** Opens the transport that a crawl uses. */
export function openTransport(options: TransportOptions): Transport {
  return new WireClient(options);
}
