import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { root } from "./conformance.ts";
import { tempFolder } from "./orbweaver.ts";

const run = promisify(execFile);

/** What `npm pack` tells of a tarball. */
export interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** The package as it would be published, in a folder. */
export async function pack(folder: string): Promise<Packed> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: root, maxBuffer: 1 << 24 });
  return (JSON.parse(stdout) as [Packed])[0];
}

/** A project that has nothing but the package, as its tarball holds it, and its dependencies. */
export async function packedProject(t: TestContext, more: readonly string[] = []): Promise<string> {
  const folder = tempFolder(t);
  const { filename } = await pack(folder);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "orbweaver"), { recursive: true });
  const tar = ["-xzf", join(folder, filename), "-C", join(modules, "orbweaver")];
  await run("tar", [...tar, "--strip-components=1"]);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { dependencies, optionalDependencies } = manifest;
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...more]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  return folder;
}
