import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FolderTakenError } from "../../../src/errors.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { lockFolder } from "../../../src/store/folder/folder-lock.ts";
import {
  bootId,
  LEASE_MS,
  type Lease,
  readLease,
  writeLease,
} from "../../../src/store/folder/lease.ts";
import { root } from "../../support/conformance.ts";
import { tempFolder } from "../../support/orbweaver.ts";

const MODULE = join(root, "build/src/store/folder/folder-lock.js");

test("a folder belongs to one crawl at a time, also within one process", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const lock = lockFolder(dir);
  assert.throws(() => lockFolder(dir), FolderTakenError);
  lock.release();
  lockFolder(dir).release();
  assert.deepEqual(readdirSync(join(dir, "state")).sort(), [
    "crawl-copy.json",
    "crawl.json",
    "journals",
  ]);
});

test("a lock that a killed process left is stale, also when its number is in use again", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const lock = join(dir, "state/lock");
  // A child that outlives the holder must not keep the lock.
  const script = `import(${JSON.stringify(MODULE)}).then(async (m) => { m.lockFolder(${JSON.stringify(dir)}); const { spawn } = await import("node:child_process"); spawn("sleep", ["2"], { detached: true, stdio: "ignore" }).once("spawn", () => process.kill(process.pid, "SIGKILL")); })`;
  spawnSync(process.execPath, ["--input-type=module", "-e", script]);
  assert.ok(existsSync(lock));
  lockFolder(dir).release();
  for (const left of [`${process.pid} 1`, "", "no number at all", "-5 3"]) {
    writeFileSync(lock, left);
    lockFolder(dir).release();
  }
  assert.ok(!existsSync(lock));
});

test("of many processes that find a stale lock at once, one gets the folder", async (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  writeFileSync(join(dir, "state/lock"), "999999999 1");
  const script = `import(${JSON.stringify(MODULE)}).then((m) => { m.lockFolder(${JSON.stringify(dir)}); console.log("mine"); process.stdin.resume(); }, () => {}).catch(() => {})`;
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["pipe", "pipe", "ignore"],
    }),
  );
  const answers = children.map(
    (child) =>
      new Promise<boolean>((resolve) => {
        child.stdout.once("data", () => resolve(true));
        child.once("exit", () => resolve(false));
      }),
  );
  const winners = (await Promise.all(answers)).filter(Boolean).length;
  const holder = leaseIn(join(dir, "state/lock")).pid;
  assert.ok(children.some(({ pid }) => pid === holder));
  for (const child of children) child.stdin.end();
  assert.equal(winners, 1);
});

test("what is not a plain file in the place of the lock is refused with a sentence, and nothing waits for it", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const lock = join(dir, "state/lock");
  const places: (() => void)[] = [
    () => mkdirSync(lock),
    () => symlinkSync("crawl.json", lock),
    () => symlinkSync("nowhere", lock),
    () => spawnSync("mkfifo", [lock]),
  ];
  for (const place of places) {
    place();
    assert.throws(() => lockFolder(dir), /state\/lock is not a file/);
    rmSync(lock, { recursive: true });
  }
  assert.match(readFileSync(join(dir, "state/crawl.json"), "utf8"), /"epoch"/);
});

test("a holder that is on another machine keeps the folder as long as it is heard of", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const lock = join(dir, "state/lock");
  const holder = { token: "f".repeat(32), boot: "another-machine", pid: 7 };
  const write = (lease: Partial<Lease>) => {
    const file = openSync(lock, "w");
    writeLease(file, { ...holder, kind: "none", beatMs: Date.now(), ...lease });
    closeSync(file);
  };
  for (const kind of ["flock", "socket", "none"] as const) {
    write({ kind });
    assert.throws(() => lockFolder(dir), /process 7 is crawling/);
    for (const agoMs of [LEASE_MS + 1000, -LEASE_MS - 60_000]) {
      write({ kind, beatMs: Date.now() - agoMs });
      lockFolder(dir).release();
    }
  }
  // On this machine the lock of the system knows better than a heartbeat.
  write({ kind: "flock", boot: bootId() });
  lockFolder(dir).release();
});

test("a holder notices that another one has taken the folder, or that the lock is gone", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const path = join(dir, "state/lock");
  const lock = lockFolder(dir);
  lock.check();
  const other = openSync(path, "r+");
  writeLease(other, { ...leaseIn(path), token: "e".repeat(32) });
  closeSync(other);
  assert.throws(() => lock.check(), FolderTakenError);
  lock.release();
  assert.equal(leaseIn(path).token, "e".repeat(32), "the lock of the new holder stays");
  rmSync(path);
  const again = lockFolder(dir);
  rmSync(path);
  assert.throws(() => again.check(), FolderTakenError);
  again.release();
});

test("without the command a socket answers for a holder, also at the end of a long path", (t) => {
  for (const name of ["out", "o".repeat(150)]) {
    const dir = join(tempFolder(t), name);
    createCrawlFolder(dir);
    const script = `process.env.PATH = ""; const m = await import(${JSON.stringify(MODULE)}); const lock = m.lockFolder(process.argv[1]); let first = ""; try { m.lockFolder(process.argv[1]); } catch (e) { first = e.code; } lock.release(); m.lockFolder(process.argv[1]); console.log(first); process.kill(process.pid, "SIGKILL");`;
    const args = ["--input-type=module", "-e", script, dir];
    const run = () => spawnSync(process.execPath, args, { encoding: "utf8" }).stdout.trim();
    assert.equal(run(), "OW_FOLDER_TAKEN");
    assert.ok(existsSync(join(dir, "state/lock.sock")));
    // Killed: nobody answers on its socket any more, so it is gone, however young its heartbeat is.
    assert.equal(run(), "OW_FOLDER_TAKEN");
  }
});

function leaseIn(path: string): Lease {
  const file = openSync(path, "r");
  try {
    return readLease(file) as Lease;
  } finally {
    closeSync(file);
  }
}
