import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { checkedHandler, loadHandler } from "../../../src/crawl/visit/load-handler.ts";
import { pageHandlerContract } from "./page-handler.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-handler-"));
after(() => rmSync(folder, { recursive: true }));
let modules = 0;

pageHandlerContract("a function of a program", async (handler) => ({
  page: checkedHandler(handler),
}));

pageHandlerContract("a module", (handler) => {
  const file = join(folder, `${modules++}.mjs`);
  writeFileSync(file, `export default ${String(handler)};`);
  return loadHandler({ handler: file });
});
