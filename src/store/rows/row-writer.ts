import { locationOf } from "../capture.ts";
import { syncWriter, type Writer, type WriterOptions } from "../writer.ts";
import { RowPart } from "./row-part.ts";

/** Keeps what handlers push, beside the records of their pages. A crawl without rows gets no file. */
export function openRows({ folder, thread }: WriterOptions): Writer {
  let part: RowPart | undefined;
  const files = {
    flush: () => part?.flush(),
    sync: () => part?.sync(),
    close: () => part?.close(),
  };
  return syncWriter(files, (entry) => {
    if (entry.kind !== "capture" || entry.rows === undefined) return false;
    part ??= new RowPart(folder, thread);
    const { file, offset } = locationOf(entry);
    part.hold(file, offset, entry.url, entry.rows);
    return part.isDue;
  });
}
