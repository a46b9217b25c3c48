// In Node these three are getters of the global object, so each use calls a function. The bundles keep what they answer.
// Importing node:process instead looks at all its properties, and so opens standard input and output.
const { Buffer, performance, process } = globalThis;

export { Buffer, performance, process };
