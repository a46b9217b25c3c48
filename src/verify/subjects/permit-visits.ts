import type { Doorbell } from "../../sync/doorbell.ts";
import type { Permits } from "../../sync/permits.ts";
import { report } from "../scenario.ts";

/** Crawlers that need a page permit each, and give it back because their visits bring no page. */
export class PermitVisits {
  readonly permits: Permits;
  readonly bells: readonly Doorbell[];

  constructor(permits: Permits, bells: readonly Doorbell[]) {
    this.permits = permits;
    this.bells = bells;
  }

  visit(thread: number): void {
    const bell = this.bells[thread]!;
    while (!this.permits.tryTake()) {
      const armed = bell.arm();
      if (this.permits.want()) bell.disarm();
      else bell.sleep(armed, Number.POSITIVE_INFINITY);
    }
    report(1);
    if (!this.permits.giveBack()) return;
    for (const each of this.bells) each.ring();
  }
}
