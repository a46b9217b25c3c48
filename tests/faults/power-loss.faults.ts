import type { Drill } from "./drill.ts";

export const drill: Drill = {
  name: "power-loss",
  short: { count: 1, pages: 1 },
  full: { count: 1, pages: 1 },
  async run() {
    return { figures: {}, problems: [] };
  },
};
