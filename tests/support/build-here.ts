import type { BuildHere } from "../../src/crawl/builder/build-rules.ts";
import { MainBuilder } from "../../src/crawl/builder/main-builder.ts";

/** A builder in the main thread, as of a command. */
export const buildHere: BuildHere = (rules, onMessage) => new MainBuilder(rules, onMessage);
