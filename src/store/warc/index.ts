// What `orbweaver/warc` exports.
export { type NewRecord, WarcFile, type WarcFileOptions } from "./warc-file.ts";
export { type ReadOptions, readWarc, type WarcRecord } from "./warc-reader.ts";
