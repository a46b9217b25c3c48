import { parentPort, workerData } from "node:worker_threads";
import { ArchivedPages } from "../report/read/archived-pages.ts";
import { openDetector } from "../report/read/language.ts";
import { jsonLine } from "../store/files/jsonl.ts";
import type { PageLine } from "../store/lists/page-line.ts";
import { corpusLine } from "./corpus-line.ts";
import { loadTextLibraries } from "./dom.ts";

/** What a thread is told when it starts. */
export interface TextWorkerData {
  readonly dir: string;
  readonly isMarkdown: boolean;
}

/** A thread that answers a line for every page it is given, in the same order, after one message that it is ready. */
const { dir, isMarkdown } = workerData as TextWorkerData;
const archived = new ArchivedPages(dir);
const tools = { libraries: await loadTextLibraries(), detector: await openDetector(), isMarkdown };

parentPort!.on("message", (pages: readonly PageLine[]) => {
  for (const page of pages)
    parentPort!.postMessage(jsonLine(corpusLine(page, archived.answer(page), tools)));
});
parentPort!.postMessage("");
