import { existsSync } from "node:fs";
import { FileWindow } from "./file-window.ts";

const STEP_BYTES = 256 * 1024;

/** Where two files begin to differ; undefined when they are equal. A file that is not there is an empty one. */
export function firstDifference(a: string, b: string): number | undefined {
  if (!existsSync(a)) return 0;
  const files = [new FileWindow(a), new FileWindow(b)] as const;
  try {
    const size = Math.max(files[0].size, files[1].size);
    for (let at = 0; at < size; at += STEP_BYTES) {
      const [x, y] = files.map((file) =>
        at < file.size ? file.at(at, STEP_BYTES).subarray(0, STEP_BYTES) : Buffer.alloc(0),
      ) as [Buffer, Buffer];
      if (x.equals(y)) continue;
      let same = 0;
      while (same < x.length && x[same] === y[same]) same++;
      return at + same;
    }
    return undefined;
  } finally {
    for (const file of files) file.close();
  }
}
