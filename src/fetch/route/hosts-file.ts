import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

const CHECK_EVERY_MS = 5_000;

/** The system's own list of names; read again when it changes. */
export class HostsFile {
  readonly #path: string;
  readonly #clock: () => number;
  #names = new Map<string, string[]>();
  #version = "";
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  /** A file that cannot be read counts as empty. */
  constructor(path: string, clock: () => number) {
    this.#path = path;
    this.#clock = clock;
  }

  /** Addresses of a name in lower case and without final dot, or undefined when the file does not list it. */
  lookup(name: string): readonly string[] | undefined {
    this.#refresh();
    return this.#names.get(name);
  }

  #refresh(): void {
    const now = this.#clock();
    if (now - this.#checkedAtMs < CHECK_EVERY_MS) return;
    this.#checkedAtMs = now;
    try {
      const { mtimeMs, size, ino } = statSync(this.#path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (version === this.#version) return;
      this.#names = parseHosts(readFileSync(this.#path, "utf8"));
      this.#version = version;
    } catch {
      // Absent on some systems, replaced by rename on others: the next check finds it.
      this.#names = new Map();
      this.#version = "";
    }
  }
}

/** Reads lines of "address name..." with # comments; lines that do not begin with an address are skipped. */
export function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split(/\r\n?|\n/)) {
    const [address, ...aliases] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (address === undefined || isIP(address) === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase().replace(/\.$/, "");
      const known = names.get(name);
      if (known === undefined) names.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return names;
}
