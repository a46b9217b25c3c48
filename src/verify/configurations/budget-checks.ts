import { SiteTable, siteTableBytes } from "../../sync/site-table.ts";
import type { Configuration } from "../configuration.ts";
import { report } from "../scenario.ts";
import { mutant } from "./mutant.ts";

const TABLE = "sync/site-table.js";
const KEYS = "sync/key-slots.js";
const PAGE = 100;

interface Budgeted {
  readonly table: SiteTable;
}

/** Pages per site where sites have no owner. */
export const configurations = [
  {
    name: "site-table-3",
    technique: "budgets of sites",
    threads: 3,
    operations: 1,
    strategy: "dpor",
    attach: (memory) => ({ table: new SiteTable(memory.buffer(siteTableBytes(2)), 1) }),
    // Two threads have a page of one site; the third one's site meets theirs in the same slot.
    program(subject, thread) {
      const slot = subject.table.slotOf(1, thread < 2 ? 5 : 9);
      report(slot);
      if (!subject.table.tryReserve(slot)) return;
      subject.table.becomePage(slot);
      report(PAGE);
    },
    check(outcome) {
      const slots = outcome.reports.map((reported) => reported.at(0));
      if (slots.at(0) !== slots.at(1)) return "a site has two slots";
      if (slots.at(0) === slots.at(2)) return "two sites share a slot";
      const pages = outcome.reports.map((reported) => reported.length - 1);
      if (pages.at(0)! + pages.at(1)! !== 1) return "a site has not the pages it may have";
      return pages.at(2) === 1 ? undefined : "a page of another site was refused";
    },
    mutants: [
      mutant("check-then-act", TABLE, [
        "Atomics.compareExchange(this.#words, at, taken, taken + 1) === taken",
        "Atomics.store(this.#words, at, taken + 1) === taken + 1",
      ]),
      mutant("key-by-load-and-store", KEYS, [
        "const found = Atomics.compareExchange(this.#keys, slot, FREE, key);",
        "const found = Atomics.load(this.#keys, slot); if (found === FREE) Atomics.store(this.#keys, slot, key);",
      ]),
    ],
  } satisfies Configuration<Budgeted>,
];
