import type {
  BeatAnswer,
  BlockAnswer,
  Claim,
  ClaimAnswer,
  InsertBlock,
  SettleBlock,
} from "../../frontier/engine/engine.ts";
import type { EngineMutant } from "./disturbed-crawl.ts";
import { ScriptModel } from "./script-model.ts";

/** Takes every end for one under the lease that is valid now. */
class NoTokenCheck extends ScriptModel {
  override send(producer: string, block: InsertBlock | SettleBlock): BlockAnswer {
    const token = this.partitions[block.partition]!.token;
    const isSettle = block.kind === "settle" && token !== undefined;
    return super.send(producer, isSettle ? { ...block, token } : block);
  }
}

/** What came too late is known when it comes again. */
class LateIsKnown extends ScriptModel {
  override send(producer: string, block: InsertBlock | SettleBlock): BlockAnswer {
    const reached = this.partitions[block.partition]!.reached.get(producer) ?? 0;
    if (block.number <= reached) return { kind: "known", reached };
    return super.send(producer, block);
  }
}

/** Takes every number above the last one for the next. */
class LastNumber extends ScriptModel {
  override send(producer: string, block: InsertBlock | SettleBlock): BlockAnswer {
    const { reached } = this.partitions[block.partition]!;
    if (block.number > (reached.get(producer) ?? 0)) reached.set(producer, block.number - 1);
    return super.send(producer, block);
  }
}

/** Leases and signs of life end when the clock of whoever looks says so, and that of worker 1 is ahead. */
class WorkersClock extends ScriptModel {
  override claim(holder: string, claim: Claim): ClaimAnswer {
    const { nowMs } = this;
    if (holder.startsWith("w1/")) this.nowMs += 2 * this.rules.leaseMs;
    const answer = super.claim(holder, claim);
    this.nowMs = nowMs;
    return answer;
  }

  override beat(holder: string, about: string, isLeaving: boolean): BeatAnswer {
    const answer = super.beat(holder, about, isLeaving);
    if (!holder.startsWith("w1/")) return answer;
    const aheadMs = 2 * this.rules.leaseMs;
    const members = answer.members.map((sign) =>
      sign.holder === holder ? sign : { ...sign, ageMs: sign.ageMs + aheadMs },
    );
    return { ...answer, members };
  }
}

/** Signs of life are as old as they were noted, also when nobody could give one because the engine was away. */
class SilentEngineIsSilence extends ScriptModel {
  override beat(holder: string, about: string, isLeaving: boolean): BeatAnswer {
    this.heard = { run: this.run, sinceMs: 0 };
    return super.beat(holder, about, isLeaving);
  }
}

/** What was answered counts as being on disk. */
class AnsweredIsSynced extends ScriptModel {
  override synced(onAnswer: (life: string | undefined) => void): void {
    onAnswer(this.run);
  }
}

/** Who leaves does not wait until what was answered is on disk. */
class LeavesUnflushed extends ScriptModel {
  override flushed(_holder: string, onAnswer: (life: string | undefined) => void): void {
    onAnswer(this.run);
  }
}

/** A sync of this life says something about what was answered in an earlier one. */
class OneLife extends ScriptModel {
  override sync(): void {
    for (const waiter of this.syncWaiters.splice(0)) waiter("always the same");
  }
}

/** Whoever was silent is taken for dead, also when it has renewed its lease since. */
class FencesTheLiving extends ScriptModel {
  override fence(partition: number, holder: string): number | undefined {
    const at = this.partitions[partition]!;
    if (at.holder === holder) at.expMs = this.nowMs;
    return super.fence(partition, holder);
  }
}

/** Who leaves gives its partitions back before it knows that its ends are on disk. */
class LeavesBeforeItIsSure extends ScriptModel {
  override flushed(holder: string, onAnswer: (life: string | undefined) => void): void {
    if (this.partitions.some((one) => one.holder === holder)) onAnswer(this.run);
    else super.flushed(holder, onAnswer);
  }
}

/** Broken variants, each of which some placement of disturbances must show. */
export const ENGINE_MUTANTS: readonly EngineMutant[] = [
  { name: "no token check", Model: NoTokenCheck },
  { name: "what was late is accepted when it is repeated", Model: LateIsKnown },
  { name: "last number instead of contiguous", Model: LastNumber },
  { name: "a worker's clock instead of the engine's", Model: WorkersClock },
  { name: "the silence of an engine counts as that of its members", Model: SilentEngineIsSilence },
  { name: "what was answered counts as being on disk", Model: AnsweredIsSynced },
  { name: "a sync covers earlier lives of the engine", Model: OneLife },
  { name: "who leaves does not wait for the engine's disk", Model: LeavesUnflushed },
  { name: "settle before archive", settlesBeforeArchive: true },
];

/** Broken variants that only two things that go wrong can show. */
export const PAIR_MUTANTS: readonly EngineMutant[] = [
  { name: "a lease that is valid is taken away", Model: FencesTheLiving },
  { name: "who leaves gives back before it is sure", Model: LeavesBeforeItIsSure },
];
