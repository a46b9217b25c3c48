/**
 * Addresses that crawlers elsewhere ask, too. Starts at one address are spaced by whoever has it, so before the first one it
 * has to be this thread's. Absent where all threads that ask share the gates.
 */
export interface AddressFloors {
  /** 0 when a request may start at the address as far as others are concerned, otherwise when to ask again. */
  untilMine(address: string, nowMs: number): number;
  /** Whether what has started may still be sent. */
  isMine(address: string, nowMs: number): boolean;
  /** A request starts there; until it is on the wire nobody else may have the address. */
  started(address: string): void;
  /** It is on the wire, or there will be none: others may start from then on. */
  sent(address: string, untilMs: number, nowMs: number): void;
}
