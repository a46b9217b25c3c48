import {
  everyNode,
  isAtomicsCall,
  isFunction,
  nameOf,
  ownNodes,
  parseModule,
  type Syntax,
} from "./syntax.ts";

const SHARED_CALLS = new Set([
  ...["load", "store", "add", "sub", "and", "or", "xor", "exchange", "compareExchange"],
  ...["wait", "waitAsync", "notify"],
]);

/**
 * What a compiled module of sync/ must not contain so that the explorer runs exactly what ships: asynchronous code,
 * generators, shared accesses in callbacks or constructors, Atomics calls it does not model, changing fields.
 */
export function outsideSubset(source: string): string[] {
  const module = parseModule(source);
  const found = new Set<string>();
  const constructors = new Set<Syntax>();
  for (const node of everyNode(module)) {
    if (node.type === "MethodDefinition" && node.kind === "constructor") {
      constructors.add(node.value as Syntax);
    }
    if (node.type === "AwaitExpression" || node.async === true) found.add("asynchronous code");
    if (node.type === "YieldExpression") found.add("a generator");
    if (isAtomicsCall(node)) {
      const name = nameOf((node.callee as Syntax).property);
      if (!SHARED_CALLS.has(name)) found.add(`Atomics.${name}`);
    }
  }
  for (const node of everyNode(module)) {
    if (!isFunction(node)) continue;
    const own = [...ownNodes(node)];
    const touches = own.some(isAtomicsCall);
    if (touches && node.type === "ArrowFunctionExpression")
      found.add("a shared access in a callback");
    if (touches && constructors.has(node)) found.add("a shared access in a constructor");
    if (!constructors.has(node) && own.some(assignsField))
      found.add("a field that changes after construction");
  }
  return [...found];
}

function assignsField(node: Syntax): boolean {
  const target = (
    node.type === "AssignmentExpression"
      ? node.left
      : node.type === "UpdateExpression"
        ? node.argument
        : undefined
  ) as Syntax | undefined;
  return target?.type === "MemberExpression" && (target.object as Syntax).type === "ThisExpression";
}
