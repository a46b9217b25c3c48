import {
  calledName,
  everyNode,
  isAtomicsCall,
  isElement,
  isMember,
  nameOf,
  ownNodes,
  type Syntax,
} from "./syntax.ts";

/** Methods of typed arrays and views that touch their memory. */
export const VIEW_METHODS = new Set([
  ...["set", "subarray", "slice", "fill", "copyWithin", "decode", "indexOf"],
  ...["getInt8", "getUint8", "getInt16", "getUint16", "getInt32", "getUint32", "getFloat64"],
  ...["setInt8", "setUint8", "setInt16", "setUint16", "setInt32", "setUint32", "setFloat64"],
  ...["getBigInt64", "getBigUint64", "setBigInt64", "setBigUint64"],
]);

/** What the functions of a set of modules are called and which of them can reach shared memory. */
export interface Suspending {
  /** Functions and methods that become generators; calls to these names are delegated. */
  readonly calls: ReadonlySet<string>;
  /** The same for getters. */
  readonly getters: ReadonlySet<string>;
}

/** A function with the name others call it by. */
export interface NamedFunction {
  readonly name: string;
  readonly getter: boolean;
  readonly node: Syntax;
}

/** Every function of a module that can be turned into a generator: not arrows, not constructors. */
export function namedFunctions(module: Syntax): NamedFunction[] {
  const found: NamedFunction[] = [];
  for (const node of everyNode(module)) {
    if (node.type === "FunctionDeclaration") {
      found.push({ name: nameOf(node.id), getter: false, node });
    } else if (
      (node.type === "MethodDefinition" && node.kind !== "constructor") ||
      (node.type === "Property" && (node.method === true || node.kind === "get"))
    ) {
      const value = node.value as Syntax;
      found.push({ name: nameOf(node.key), getter: node.kind === "get", node: value });
    }
  }
  return found;
}

/**
 * Names of everything that may touch shared memory, to a fixed point over all modules together.
 * Calls are matched by name alone: too many names only cost time, too few would hide an access.
 */
export function findSuspending(modules: readonly Syntax[], api: ReadonlySet<string>): Suspending {
  const functions = modules.flatMap(namedFunctions);
  const calls = new Set<string>();
  const getters = new Set<string>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const { name, getter, node } of functions) {
      const names = getter ? getters : calls;
      if (names.has(name) || !reaches(node, calls, getters, api)) continue;
      names.add(name);
      grew = true;
    }
  }
  return { calls, getters };
}

function reaches(
  node: Syntax,
  calls: ReadonlySet<string>,
  getters: ReadonlySet<string>,
  api: ReadonlySet<string>,
): boolean {
  for (const inner of ownNodes(node)) {
    if (isAtomicsCall(inner) || isElement(inner)) return true;
    if (inner.type === "CallExpression") {
      const name = calledName(inner);
      if (calls.has(name) || api.has(name) || VIEW_METHODS.has(name)) return true;
    }
    if (isMember(inner) && getters.has(nameOf(inner.property))) return true;
  }
  return false;
}
