import { execFileSync } from "node:child_process";
import { findRedisServer } from "../../build/src/web/practice-redis.js";

/** Version of the server that the benches start. */
export function engineVersion() {
  const text = execFileSync(findRedisServer(), ["--version"], { encoding: "utf8" });
  return /v=(\S+)/.exec(text)?.[1];
}
