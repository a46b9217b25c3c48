import { FACT, type Fact } from "../../frontier/frontier.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Scope } from "../../url/scope.ts";
import type { Guard } from "./guard.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The fact that a seed redirects to this URL. */
export function widenedFact(url: CrawlUrl): Fact {
  return { kind: FACT.widened, bytes: encoder.encode(url) };
}

/** Where a seed redirects to, if that is what the fact says. */
export function widenedBy({ kind, bytes }: Fact): CrawlUrl | undefined {
  return kind === FACT.widened ? (decoder.decode(bytes) as CrawlUrl) : undefined;
}

/** What facts are about; each thread has its own. */
export interface Learners {
  readonly scope: Scope;
  readonly guard?: Pick<Guard, "learn">;
}

/** Takes a fact into account that this thread or another one committed. Learning it twice changes nothing. */
export function learnFact({ scope, guard }: Learners, fact: Fact): void {
  const url = widenedBy(fact);
  if (url !== undefined) scope.addSeed(url);
  guard?.learn(fact);
}
