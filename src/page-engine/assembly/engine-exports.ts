// The page engine: everything that is done for every byte or every link of a page. src/page-engine/README.md tells why.
// No endless loops, and no `continue`: AssemblyScript 0.28.20 drops code behind some of them (a test forbids both).
export * from "./engine-layout";
export { forgetKnown, leaveOutKnown, remember } from "./remembered-links";
export { resolve } from "./resolve-links";
export { scan, setTags } from "./scan-page";
export { setSeed } from "./url-hash";
export { enterNames } from "./tag-names";
