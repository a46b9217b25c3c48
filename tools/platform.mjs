// In Node these three are getters of the global object, so each use calls a function. The bundles import them instead.
export { Buffer } from "node:buffer";
export { performance } from "node:perf_hooks";
export { default as process } from "node:process";
