import { OrbweaverError } from "../errors.ts";

/** What a dashboard may change of a running crawl. */
export interface Controls {
  pause(): Promise<void>;
  goOn(): Promise<void>;
  stop(): Promise<void>;
  addSeeds(urls: readonly string[]): Promise<unknown>;
  blockHost(host: string): Promise<void>;
  setHost(host: string, setting: HostChange): Promise<void>;
  setLinksPerThread(links: number): Promise<void>;
  /** Where the crawl stands after all changes. */
  state(): object;
}

/** What can be changed of a host. */
export interface HostChange {
  readonly delayMs?: number | undefined;
  readonly connections?: number | undefined;
  readonly budget?: number | undefined;
}

/** A request that changes something, as it comes from outside. */
type Body = Readonly<Record<string, unknown>>;

const ACTIONS: Readonly<Record<string, (controls: Controls, body: Body) => Promise<unknown>>> = {
  pause: (controls) => controls.pause(),
  "go-on": (controls) => controls.goOn(),
  stop: (controls) => controls.stop(),
  "add-seeds": (controls, { urls }) => controls.addSeeds(textsOf(urls)),
  "block-host": (controls, { host }) => controls.blockHost(textOf(host)),
  "set-host": (controls, { host, delayMs, connections, budget }) =>
    controls.setHost(textOf(host), {
      delayMs: numberOf(delayMs),
      connections: numberOf(connections),
      budget: numberOf(budget),
    }),
  "set-links": (controls, { links }) => controls.setLinksPerThread(numberOf(links) ?? Number.NaN),
};

/** Whether there is an action of this name. */
export function isAction(name: string): boolean {
  return Object.hasOwn(ACTIONS, name);
}

/** What became of an action: a status for the answer, and what it says. */
export interface ActionAnswer {
  readonly status: number;
  readonly body: object;
}

/** Does what was asked for. What the crawl refuses is an answer, not a fault. */
export async function act(controls: Controls, name: string, body: Body): Promise<ActionAnswer> {
  try {
    const result = await ACTIONS[name]!(controls, body);
    return { status: 200, body: { ok: true, ...(result === undefined ? {} : { result }) } };
  } catch (fault) {
    if (!(fault instanceof OrbweaverError)) throw fault;
    return { status: 409, body: { ok: false, code: fault.code, error: fault.message } };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** Anything that is not a number is refused by the crawl, which names it. */
function numberOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" ? value : Number.NaN;
}
