import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { EXIT } from "../../src/errors.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { LEASE_MS, type Lease, readLease, writeLease } from "../../src/store/folder/lease.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";
import { withFolder, withWeb } from "../faults/drill.ts";
import { readWhole } from "../faults/whole-folder.ts";
import { type Collected, collect, readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import { killInAttack } from "./stop-notes.ts";
import { servedBy } from "./tampered-folders.ts";

const WEB = { hosts: 8, pages: 800, minBytes: 300, maxBytes: 900 };
const MAX_TRIES = 3;
/** A refusal comes at once, as far as a busy machine lets it. */
const MAX_MS = 45_000;
const NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const NOBODY = 65_534;

/** Two processes on one folder, whatever separates them: one runs, the other says a sentence. */
export const attack: Attack = {
  row: "X5",
  what: "two processes on one folder",
  mutants: [
    { name: "the system's lock is not asked", from: 'if (flock === "taken")', to: "if (false)" },
    {
      name: "a socket that answers is not asked",
      from: 'return answer === "yes";',
      to: "return false;",
    },
    { name: "the token is not looked at", from: "if (this.isLost)", to: "if (false)" },
  ],
  run: (options) =>
    withWeb(WEB, 20, (web) => withFolder((folder) => new Locks(web, folder, options).run())),
};

interface Running {
  readonly child: ChildProcess;
  readonly collected: Collected;
}

class Locks {
  readonly #web: RemoteWeb;
  readonly #folder: string;
  readonly #options: AttackOptions;
  readonly #figures: Record<string, Record<string, number | string>> = {};
  readonly #problems: string[] = [];
  readonly #empty: string;
  #crawls = 0;

  constructor(web: RemoteWeb, folder: string, options: AttackOptions) {
    this.#web = web;
    this.#folder = folder;
    this.#options = options;
    // A PATH without flock.
    this.#empty = join(folder, "no-commands");
    mkdirSync(this.#empty);
  }

  async run(): Promise<AttackResult> {
    const threads = this.#options.size === "full" ? [1, 2, 4] : [2];
    for (const count of threads) {
      await this.#variant(`plain, T = ${count}`, () => this.#twice([], {}, count));
      await this.#variant(`another PID namespace, T = ${count}`, () => this.#namespaces(count));
      await this.#variant(`without flock, T = ${count}`, () =>
        this.#twice([], this.#noFlock, count),
      );
    }
    await this.#variant("stopped, and taken over", () => this.#takenOver());
    await this.#variant("stopped, with the system's lock", () => this.#stopped());
    if (this.#options.size === "mutant") return this.#result;
    await this.#variant("killed, and resumed at once", () => this.#killed({}));
    await this.#variant("the same without flock", () => this.#killed(this.#noFlock));
    await this.#variant("20 at once", () => this.#many(20));
    await this.#variant("something else in its place", () => this.#inItsPlace());
    return this.#result;
  }

  get #result(): AttackResult {
    return { figures: this.#figures, problems: this.#problems };
  }

  get #noFlock(): NodeJS.ProcessEnv {
    return { PATH: this.#empty };
  }

  async #variant(name: string, run: () => Promise<Record<string, number | string>>): Promise<void> {
    try {
      this.#figures[name] = await run();
    } catch (fault) {
      this.#problems.push(`${name}: ${(fault as Error).message}`);
    }
    this.#options.onStep?.(name);
  }

  /** A crawl that is well under way. */
  async #crawl(env: NodeJS.ProcessEnv = {}, threads = 2): Promise<Running & { out: string }> {
    const out = join(this.#folder, `out-${this.#crawls++}`);
    const before = await servedBy(this.#web);
    const start = ["crawl", ...this.#web.start, "--out", out, "--delay", "0"];
    const running = this.#start([...start, "--threads", String(threads)], env);
    await this.#served(before + 60, running);
    return { ...running, out };
  }

  #start(args: readonly string[], env: NodeJS.ProcessEnv = {}, before: readonly string[] = []) {
    const quiet = args[0] === "recover" ? [] : ["--quiet"];
    const words = [...before, process.execPath, this.#options.program, ...args, ...quiet];
    const child = spawn(words[0]!, words.slice(1), {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    const collected = collect(child);
    // Numbers that do not add up are thrown where its end is awaited, which may be after the end of another process.
    collected.ended.catch(() => {});
    return { child, collected };
  }

  async #served(pages: number, { collected }: Running): Promise<void> {
    let isOver = false;
    const onOver = () => {
      isOver = true;
    };
    void collected.ended.then(onOver, onOver);
    while ((await servedBy(this.#web)) < pages) {
      if (isOver) throw new Error(`the crawl ended early: ${collected.written.stderr}`);
      await setTimeout(5);
    }
  }

  /** Settles when a process has ended by itself; one that does not is killed. */
  async #end({ child, collected }: Running, maxMs = 60_000) {
    const late = new AbortController();
    void setTimeout(maxMs, undefined, { signal: late.signal }).then(
      () => child.kill("SIGKILL"),
      () => {},
    );
    const ended = await collected.ended;
    late.abort();
    return ended;
  }

  /** A second process must be refused with a sentence. */
  async #refused(second: Running): Promise<void> {
    const { code, stderr } = await this.#end(second, MAX_MS);
    if (code !== EXIT.usage || !/^orbweaver: .* is crawling in /m.test(stderr))
      throw new Error(`the second process ended with ${code}: ${stderr.slice(-300)}`);
  }

  /** The first process goes on to the end, and what it leaves is whole. */
  async #whole(first: Running & { out: string }): Promise<number> {
    const { code, stderr } = await this.#end(first);
    if (code !== EXIT.finished)
      throw new Error(`the crawl ended with ${code}: ${stderr.slice(-300)}`);
    return this.#check(first.out);
  }

  async #check(out: string): Promise<number> {
    const { reachable } = await this.#web.truth();
    const { problems, pages } = readWhole(out);
    if (problems.length > 0) throw new Error(`${problems.length} damages: ${problems[0]}`);
    if (pages !== reachable) throw new Error(`${pages} pages of ${reachable}`);
    if (existsSync(join(out, "state/lock"))) throw new Error("the lock was left");
    return pages;
  }

  async #twice(before: readonly string[], env: NodeJS.ProcessEnv, threads: number) {
    let pages = 0;
    for (const command of ["resume", "recover"])
      pages = await this.#beside(command, before, env, threads);
    return { refused: 2, pages };
  }

  /** One command beside a crawl of its own: on a busy machine a crawl may end before the second process has begun, which shows nothing. */
  async #beside(
    command: string,
    before: readonly string[],
    env: NodeJS.ProcessEnv,
    threads: number,
  ): Promise<number> {
    for (let tries = 1; ; tries++) {
      const first = await this.#crawl(env, threads);
      try {
        await this.#refused(this.#start([command, first.out], env, before));
        return await this.#whole(first);
      } catch (fault) {
        const hadEnded = first.child.exitCode !== null;
        await this.#end(first);
        if (!hadEnded || tries === MAX_TRIES) throw fault;
      }
    }
  }

  async #namespaces(threads: number) {
    if (spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), "true"]).status !== 0)
      return { skipped: "unshare is not permitted here" };
    return this.#twice(NAMESPACE, {}, threads);
  }

  async #stopped() {
    const first = await this.#crawl();
    first.child.kill("SIGSTOP");
    this.#age(first.out, {});
    await this.#refused(this.#start(["resume", first.out]));
    first.child.kill("SIGCONT");
    return { refused: 1, pages: await this.#whole(first) };
  }

  /** Where neither lock nor socket tells: the lease of a stopped process runs out, and it must notice that when it goes on. */
  async #takenOver() {
    const first = await this.#crawl(this.#noFlock);
    first.child.kill("SIGSTOP");
    // As on another machine, whose system knows nothing of the process.
    this.#age(first.out, { boot: "another-machine" });
    const second = this.#start(["resume", first.out], this.#noFlock);
    await this.#served((await servedBy(this.#web)) + 30, second);
    first.child.kill("SIGCONT");
    const { code, stderr } = await this.#end(first, MAX_MS);
    if (code !== EXIT.usage || !stderr.includes("another process has taken over the folder"))
      throw new Error(`the process that lost the folder ended with ${code}: ${stderr.slice(-300)}`);
    return { tookOver: 1, pages: await this.#whole({ ...second, out: first.out }) };
  }

  /** Makes the heartbeat of a holder too old. */
  #age(out: string, change: Partial<Lease>): void {
    const file = openSync(join(out, "state/lock"), "r+");
    const lease = readLease(file) as Lease;
    writeLease(file, { ...lease, beatMs: lease.beatMs - 2 * LEASE_MS, ...change });
    closeSync(file);
  }

  async #killed(env: NodeJS.ProcessEnv) {
    const first = await this.#crawl(env);
    killInAttack(first.child);
    await first.collected.ended;
    const next = this.#start(["resume", first.out], env);
    return { pages: await this.#whole({ ...next, out: first.out }) };
  }

  async #many(count: number) {
    const first = await this.#crawl();
    killInAttack(first.child);
    await first.collected.ended;
    const all = Array.from({ length: count }, () => this.#start(["resume", first.out]));
    const ends = await Promise.all(all.map((one) => this.#end(one)));
    const codes = ends.map(({ code }) => code);
    const ran = codes.filter((code) => code === EXIT.finished).length;
    const refused = codes.filter((code) => code === EXIT.usage).length;
    // One that comes when the crawl has ended finds nothing to do, and may run.
    if (ran < 1 || ran + refused !== count) throw new Error(`exit codes ${codes.join()}`);
    return { ran, refused, pages: await this.#check(first.out) };
  }

  /** A directory, a FIFO, links, a lock of another user: a sentence, exit code 2, and nothing waits. */
  async #inItsPlace() {
    const { out, child, collected } = await this.#crawl();
    killInAttack(child);
    await collected.ended;
    const lock = join(out, "state/lock");
    const state = readFileSync(crawlPaths(out).state);
    const places: [name: string, make: () => void, asUser?: boolean][] = [
      ["a directory", () => mkdirSync(lock)],
      ["a FIFO", () => void spawnSync("mkfifo", [lock])],
      ["a link to a file", () => symlinkSync("crawl.json", lock)],
      ["a link to nothing", () => symlinkSync("nowhere", lock)],
    ];
    const isRoot = process.getuid?.() === 0;
    if (isRoot) places.push(["a file of another user", () => foreign(lock), true]);
    for (const [name, make, asUser] of places) {
      rmSync(lock, { recursive: true, force: true });
      make();
      const wrapper = asUser ? ["setpriv", `--reuid=${NOBODY}`, "--clear-groups"] : [];
      if (asUser) for (const path of [this.#folder, out]) chmodSync(path, 0o755);
      const { code, stderr } = await this.#end(this.#start(["resume", out], {}, wrapper), MAX_MS);
      if (code !== EXIT.usage || !/^orbweaver: .*state\/lock /m.test(stderr))
        throw new Error(`${name}: ended with ${code}: ${stderr.slice(-300)}`);
    }
    if (!readFileSync(crawlPaths(out).state).equals(state))
      throw new Error("the state was changed");
    // Locks of earlier versions: a process number and its start.
    for (const old of ["999999999 1", `${process.pid} 1`]) {
      rmSync(lock, { force: true });
      writeFileSync(lock, old);
      const end = await this.#end(this.#start(["resume", out]));
      if (end.code !== EXIT.finished) throw new Error(`old lock: ${end.code}: ${end.stderr}`);
    }
    return { refused: places.length, pages: readPages(out).length };
  }
}

function foreign(lock: string): void {
  writeFileSync(lock, "");
  chmodSync(lock, 0o600);
  chownSync(lock, 1, 1);
}
