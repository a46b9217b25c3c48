import { keepLatest } from "../../runtime/keep-latest.ts";
import { withoutRootDot } from "../../url/url-parts.ts";
import type { Target, TransportFailure } from "../transport.ts";
import { isAddressError } from "../transport-error.ts";
import { addressGate } from "./address.ts";

/** A name may have thousands of addresses, and none of them needs to be the owner's of the name. */
export const MAX_ADDRESSES_TRIED = 4;
const MAX_REMEMBERED = 10_000;

/** The addresses that one request may try, in order, and the gate of the first. */
export interface Chosen {
  readonly target: Target;
  readonly gate: string;
}

interface Remembered extends Chosen {
  /** How many addresses the attempt has tried before: it goes on when another one may be tried. */
  readonly tried: number;
}

/** Remembers, for hosts with several addresses, with which one the next request begins. */
export class AddressChoice {
  readonly #hosts = new Map<string, Remembered>();

  /** The addresses for a request: the one that answered last, or a few in a row. */
  begin(found: Target): Chosen {
    const key = keyOf(found);
    const known = this.#hosts.get(key);
    if (known === undefined || !found.addresses!.includes(known.target.address))
      return this.#remember(key, found, found.address, 0, false);
    const isSure = known.target.addresses === undefined;
    if (isSure && isSamePlace(known.target, found)) return known;
    return this.#remember(key, found, known.target.address, known.tried, isSure);
  }

  /** That address answered: the next request goes there and nowhere else. */
  answered(found: Target, address: string): void {
    const key = keyOf(found);
    const known = this.#hosts.get(key);
    if (known?.target.address === address && known.target.addresses === undefined) return;
    this.#remember(key, found, address, 0, true);
  }

  /**
   * The request failed. Returns when it may go on with the address that could not be tried yet; undefined when it is over,
   * and another one begins behind the addresses that were tried.
   */
  failed(found: Target, { target }: Chosen, failure: TransportFailure): number | undefined {
    const { untried, error } = failure;
    const key = keyOf(found);
    const all = found.addresses!;
    const row = target.addresses ?? [target.address];
    if (untried !== undefined) {
      const before = this.#hosts.get(key)?.tried ?? 0;
      const tried = before + row.indexOf(untried.address);
      this.#remember(key, found, untried.address, tried, false);
      return untried.untilMs;
    }
    if (isAddressError(error)) {
      const next = all[(all.indexOf(row.at(-1)!) + 1) % all.length]!;
      this.#remember(key, found, next, 0, false);
    }
    return undefined;
  }

  #remember(key: string, from: Target, first: string, tried: number, isSure: boolean): Remembered {
    const all = from.addresses!;
    const at = all.indexOf(first);
    const count = isSure ? 1 : Math.min(all.length, MAX_ADDRESSES_TRIED - tried);
    const row = Array.from({ length: count }, (_, i) => all[(at + i) % all.length]!);
    const target = { ...from, address: first, addresses: count === 1 ? undefined : row };
    const remembered = { target, gate: addressGate(first), tried };
    keepLatest(this.#hosts, key, remembered, MAX_REMEMBERED);
    return remembered;
  }
}

function isSamePlace(a: Target, b: Target): boolean {
  return a.hostname === b.hostname && a.secure === b.secure && a.connectPort === b.connectPort;
}

function keyOf({ hostname, port }: Target): string {
  return `${withoutRootDot(hostname)} ${port}`;
}
