import type { Fact } from "../../frontier/frontier.ts";
import { Account, type CrawlMemory } from "../shared-memory.ts";

/** Everything that visits found out, as the supervisor knows it, and whether an announcement is still on its way. */
export class KnownFacts {
  readonly #accounts: readonly Account[];
  /** By thread: facts that it announced and that arrived here. */
  readonly #arrived: number[];
  readonly #byText = new Map<string, Fact>();

  constructor(memory: Pick<CrawlMemory, "accounts" | "threads">) {
    const threads = Array.from({ length: memory.threads }, (_, thread) => thread);
    this.#accounts = threads.map((thread) => new Account(memory, thread));
    this.#arrived = threads.map(() => 0);
  }

  get all(): readonly Fact[] {
    return [...this.#byText.values()];
  }

  /** Takes in facts; returns those that are new. */
  learn(facts: readonly Fact[]): readonly Fact[] {
    return facts.filter((fact) => {
      const text = `${fact.kind} ${Buffer.from(fact.bytes).toString("latin1")}`;
      if (this.#byText.has(text)) return false;
      this.#byText.set(text, fact);
      return true;
    });
  }

  /** A thread has announced facts; returns those that are new. */
  announced(thread: number, facts: readonly Fact[]): readonly Fact[] {
    this.#arrived[thread]! += facts.length;
    return this.learn(facts);
  }

  /** A thread is dead: what it announced and nobody heard, its successor finds in its journals. */
  forget(thread: number): void {
    this.#arrived[thread] = 0;
    this.#accounts[thread]!.forgetFacts();
  }

  /** False while a thread has announced something that has not arrived. */
  get areAllHere(): boolean {
    return this.#accounts.every((account, thread) => account.facts === this.#arrived[thread]);
  }
}
