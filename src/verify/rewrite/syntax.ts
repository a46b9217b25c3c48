import { type Node, parse } from "acorn";

/** An acorn node with its fields open to a generic walk. */
export type Syntax = Node & Record<string, unknown>;

/** Parses one compiled module. */
export function parseModule(source: string): Syntax {
  return parse(source, { ecmaVersion: "latest", sourceType: "module" }) as unknown as Syntax;
}

/** The direct children of a node, in source order. */
export function childrenOf(node: Syntax): Syntax[] {
  const found: Syntax[] = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isSyntax(item)) found.push(item);
    } else if (isSyntax(value)) found.push(value);
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Every node below and including this one. */
export function* everyNode(node: Syntax): Generator<Syntax> {
  yield node;
  for (const child of childrenOf(node)) yield* everyNode(child);
}

/** Every node of a function's own code, not of functions written inside it. */
export function* ownNodes(node: Syntax): Generator<Syntax> {
  for (const child of childrenOf(node)) {
    if (isFunction(child)) continue;
    yield child;
    yield* ownNodes(child);
  }
}

/** Is this a function of any form? */
export function isFunction(node: Syntax): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

/** The name of an identifier, a private name (with its #) or a plain property key. */
export function nameOf(node: unknown): string {
  const named = node as Syntax;
  if (named.type === "PrivateIdentifier") return `#${String(named.name)}`;
  return named.type === "Identifier" ? String(named.name) : "";
}

/** The called name: `f(…)` gives f, `x.f(…)` gives f, anything else the empty string. */
export function calledName(call: Syntax): string {
  const callee = call.callee as Syntax;
  if (callee.type === "Identifier") return nameOf(callee);
  return isMember(callee) && callee.computed === false ? nameOf(callee.property) : "";
}

/** Is this `Atomics.something(…)`? */
export function isAtomicsCall(node: Syntax): boolean {
  return isCallOn(node, "Atomics");
}

/** Is this `object.something(…)` for the given global object? */
export function isCallOn(node: Syntax, object: string): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = node.callee as Syntax;
  return isMember(callee) && nameOf(callee.object) === object;
}

/** Is this `a.b` or `a[b]`? */
export function isMember(node: Syntax): boolean {
  return node.type === "MemberExpression";
}

/** Is this `a[b]`, the form in which payload is touched? */
export function isElement(node: Syntax): boolean {
  return isMember(node) && node.computed === true;
}

/** Names that an expression or statement assigns, `x = …`, `x += …`, `x++`. */
export function assignedNames(node: Syntax): Set<string> {
  const names = new Set<string>();
  for (const inner of everyNode(node)) {
    if (inner.type === "AssignmentExpression") names.add(nameOf(inner.left));
    if (inner.type === "UpdateExpression") names.add(nameOf(inner.argument));
  }
  names.delete("");
  return names;
}

/** Names that a node declares with const, let or var. */
export function declaredNames(node: Syntax): Set<string> {
  const names = new Set<string>();
  for (const inner of everyNode(node)) {
    if (inner.type !== "VariableDeclarator") continue;
    for (const part of everyNode(inner.id as Syntax)) names.add(nameOf(part));
  }
  names.delete("");
  return names;
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && typeof (value as Syntax).type === "string";
}
