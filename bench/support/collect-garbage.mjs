import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Full collections, several: what one of them frees may hold memory that only the next one finds. */
export function collectGarbage() {
  for (let i = 0; i < 4; i++) collect();
}
