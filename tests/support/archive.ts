import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readWarc, type WarcRecord } from "../../src/store/warc/warc-reader.ts";

/** A record with the file it is in and its target URI. */
export interface ArchivedRecord extends WarcRecord {
  readonly file: string;
  readonly uri: string | undefined;
}

/** All records of an archive folder, strictly read; no file may be left open. */
export function readRecords(folder: string): ArchivedRecord[] {
  const records: ArchivedRecord[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".warc.gz")) throw new Error(`${file} was not closed`);
    for (const record of readWarc(join(folder, file))) {
      records.push({ ...record, file, uri: record.headers.get("warc-target-uri") });
    }
  }
  return records;
}
