// What platform.mjs does, but for `performance`: reading that loads nine modules, and the command line measures nothing with it.
const { Buffer, process } = globalThis;

export { Buffer, process };
