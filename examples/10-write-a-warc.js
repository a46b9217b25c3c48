// Writes an archive file and reads it again. Run: node examples/10-write-a-warc.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readWarc, WarcFile } from "orbweaver/warc";

const path = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "mine.warc.gz");
const file = new WarcFile(path);
const response = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello";
file.write({
  type: "response",
  uri: "http://example.org/",
  contentType: "application/http; msgtype=response",
  block: Buffer.from(response),
});
file.close();
for (const { type, headers, block, problems } of readWarc(path)) {
  console.log(type, headers.get("warc-target-uri") ?? "", block.length, problems.length);
}
