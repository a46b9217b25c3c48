import { locationOf } from "../capture.ts";
import { fileWriter, type Writer, type WriterOptions, type WrittenFiles } from "../writer.ts";
import { RowPart } from "./row-part.ts";

/** Keeps what handlers push, beside the records of their pages. A crawl without rows gets no file. */
export function openRows({ folder, thread, doWork }: WriterOptions): Writer {
  let part: RowPart | undefined;
  const files: WrittenFiles = {
    *flushing() {
      if (part !== undefined) yield* part.flushing();
    },
    *syncing() {
      if (part !== undefined) yield* part.syncing();
    },
    *closing() {
      if (part !== undefined) yield* part.closing();
    },
  };
  return fileWriter(files, doWork, (entry) => {
    if (entry.kind !== "capture" || entry.rows === undefined) return false;
    part ??= new RowPart(folder, thread);
    const { file, offset } = locationOf(entry);
    part.hold(file, offset, entry.url, entry.rows);
    return part.isDue;
  });
}
