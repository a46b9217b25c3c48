import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

/**
 * Words that all threads of a process share, for modules that are loaded first in every thread (NODE_OPTIONS): the main
 * thread makes them, the others are started later and find them.
 */
export function wordsOfAllThreads(name: string, count: number): Int32Array {
  if (isMainThread) setEnvironmentData(name, new SharedArrayBuffer(4 * count));
  return new Int32Array(getEnvironmentData(name) as unknown as SharedArrayBuffer);
}
