import { UsageError } from "../../errors.ts";

/** Stand-in for `orbweaver web`. */
export const command = {
  name: "web",
  usage: ["web"],
  about: "Serves a synthetic web.",
  options: [],
  examples: [],
  async run(): Promise<number> {
    throw new UsageError("web is not yet wired");
  },
};
