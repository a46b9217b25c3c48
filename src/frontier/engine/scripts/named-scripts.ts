import type { RedisClient } from "../load-ioredis.ts";
import { INSERT, POST, SETTLE } from "./block-scripts.ts";
import { CHILL, PACK, UNPACK } from "./cold-scripts.ts";
import { ADOPT, BEAT, BURY, CREATE, FOUND, PERMITS } from "./crawl-scripts.ts";
import { FLOOR } from "./floor-script.ts";
import { CLAIM, COUNTS, EXTRACT, FENCE, KEEP, RELEASE } from "./lease-scripts.ts";
import { ARRIVE, STEP } from "./step-scripts.ts";

/** Every script by its name. */
export const SCRIPTS = {
  owInsert: INSERT,
  owPost: POST,
  owSettle: SETTLE,
  owStep: STEP,
  owChill: CHILL,
  owPack: PACK,
  owUnpack: UNPACK,
  owArrive: ARRIVE,
  owClaim: CLAIM,
  owExtract: EXTRACT,
  owRelease: RELEASE,
  owCounts: COUNTS,
  owFence: FENCE,
  owFloor: FLOOR,
  owKeep: KEEP,
  owCreate: CREATE,
  owFound: FOUND,
  owAdopt: ADOPT,
  owBeat: BEAT,
  owPermits: PERMITS,
  owBury: BURY,
} as const;

export type ScriptName = keyof typeof SCRIPTS;
export type ScriptArgument = string | number | Buffer;

/** Makes the scripts known to a connection. */
export function defineScripts(client: RedisClient): void {
  for (const [name, lua] of Object.entries(SCRIPTS))
    client.defineCommand(name, { numberOfKeys: 1, lua });
}

/** Runs one script. */
export function runScript(
  client: RedisClient,
  name: ScriptName,
  key: string,
  args: readonly ScriptArgument[],
): Promise<unknown> {
  const run = (client as unknown as Record<string, (...a: ScriptArgument[]) => Promise<unknown>>)[
    `${name}Buffer`
  ]!;
  return run.call(client, key, ...args);
}
