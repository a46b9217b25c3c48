import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import { removeIfThere } from "../files/system-calls.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { closedFiles, noPages } from "./closed-files.ts";
import { writeZipNum } from "./zip-num.ts";
import { type Resource, ZipWriter } from "./zip-writer.ts";

/** Facts about the package. */
export interface WaczFacts {
  readonly title: string;
  readonly software: string;
  readonly wallMs: number;
}

/** Packs a crawl as WACZ 1.1.1: archive, index, page list, and the digests of all of them. Answers the resources. */
export function exportWacz(dir: string, out: string, facts: WaczFacts): readonly Resource[] {
  const paths = crawlPaths(dir);
  const files = closedFiles(dir);
  if (files.length === 0) throw noPages(dir);
  const compressed = `${out}.index`;
  const resources: Resource[] = [];
  try {
    replaceFile(out, (file) => {
      const zip = new ZipWriter(file, facts.wallMs);
      for (const name of files)
        resources.push(zip.addFile(`archive/${name}`, join(paths.archive, name)));
      const secondary = writeZipNum(paths.index, compressed);
      resources.push(zip.addFile("indexes/index.cdx.gz", compressed));
      resources.push(zip.addBytes("indexes/index.idx", secondary));
      resources.push(zip.addFile("pages/pages.jsonl", paths.pages));
      const datapackage = Buffer.from(
        `${JSON.stringify(dataPackage(facts, resources), null, 2)}\n`,
      );
      const { hash } = zip.addBytes("datapackage.json", datapackage);
      const digest = { path: "datapackage.json", hash };
      zip.addBytes("datapackage-digest.json", Buffer.from(`${JSON.stringify(digest, null, 2)}\n`));
      zip.finish();
    });
  } finally {
    removeIfThere(compressed);
  }
  return resources;
}

function dataPackage(
  { title, software, wallMs }: WaczFacts,
  resources: readonly Resource[],
): object {
  return {
    profile: "data-package",
    wacz_version: "1.1.1",
    title,
    software,
    created: new Date(wallMs).toISOString(),
    resources: resources.map(({ path, hash, bytes }) => ({
      name: path.slice(path.lastIndexOf("/") + 1).toLowerCase(),
      path,
      hash,
      bytes,
    })),
  };
}
