import { labelOf } from "../word-names.ts";
import type { Suspending } from "./suspending.ts";
import { VIEW_METHODS } from "./suspending.ts";
import {
  assignedNames,
  calledName,
  childrenOf,
  declaredNames,
  isAtomicsCall,
  isCallOn,
  isElement,
  isFunction,
  isMember,
  nameOf,
  type Syntax,
} from "./syntax.ts";

/** "fibers": every access is a yield of a generator. "turns": every access is a call that waits for its turn. */
export type Style = "fibers" | "turns";

const TYPED_ARRAY =
  /^(Int8|Uint8|Uint8Clamped|Int16|Uint16|Int32|Uint32|Float32|Float64|BigInt64|BigUint64)Array$/;

/**
 * Rewrites one compiled module so that the runtime `R` sees every access to shared memory.
 *
 *   Atomics.load(w, i)   ->  (yield R.load(w, i))                 one scheduling point
 *   bytes[i] = v         ->  (yield* R.put(bytes, i, v))          a scheduling point if bytes is shared
 *   mutex.lock()         ->  R.leave(R.enter(7), yield* R.drive(mutex.lock()))
 *   for (;;) { … }       ->  { const $9 = R.base(); for (;;) { R.head($9, 9, locals…); … } }
 *
 * enter, leave, base and head tell the runtime where in the code a thread is and with which local values, so
 * that two histories that lead to the same place with the same values are one state.
 */
export class Transformer {
  readonly #source: string;
  readonly #names: Suspending;
  readonly #api: ReadonlySet<string>;
  readonly #fibers: boolean;
  #exports: string[] = [];
  #place = 0;
  /** True while inside a function that has become a generator: only there may a yield be written. */
  #inside = false;

  constructor(source: string, names: Suspending, api: ReadonlySet<string>, style: Style) {
    this.#source = source;
    this.#names = names;
    this.#api = api;
    this.#fibers = style === "fibers";
  }

  /** The module as the body of a function of (R, $import, $exports). */
  rewrite(module: Syntax): string {
    this.#exports = [];
    const body = this.#emit(module);
    return `"use strict";${body}\n${this.#exports.map((n) => `$exports.${n} = ${n};`).join("\n")}`;
  }

  #emit(node: Syntax): string {
    switch (node.type) {
      case "ImportDeclaration":
        return this.#import(node);
      case "ExportNamedDeclaration":
        return this.#export(node);
      case "FunctionDeclaration":
        return this.#function(node, this.#names.calls.has(nameOf(node.id)));
      case "MethodDefinition":
      case "Property":
        return this.#method(node);
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return this.#scoped(node, false);
      case "ExpressionStatement": {
        const called = node.expression as Syntax;
        return called.type === "CallExpression"
          ? `${this.#call(called, true)};`
          : this.#plain(node);
      }
      case "CallExpression":
        return this.#call(node, false);
      case "NewExpression":
        return TYPED_ARRAY.test(nameOf(node.callee)) && this.#fibers
          ? `R.fresh(${this.#plain(node)})`
          : this.#plain(node);
      case "MemberExpression":
        return this.#member(node);
      case "AssignmentExpression":
      case "UpdateExpression":
        return this.#assignment(node);
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
        return this.#loop(node, node);
      case "LabeledStatement":
        return /^(While|DoWhile|For)Statement$/.test((node.body as Syntax).type)
          ? this.#loop(node, node.body as Syntax)
          : this.#plain(node);
      default:
        return this.#plain(node);
    }
  }

  /** The node's own text with its children rewritten. */
  #plain(node: Syntax): string {
    return this.#between(childrenOf(node), node.start, node.end);
  }

  /** The text between two places with those of the nodes that lie there rewritten. */
  #between(nodes: readonly Syntax[], from: number, to: number): string {
    let text = "";
    let at = from;
    for (const node of nodes) {
      // Shorthand properties name the same text twice.
      if (node.start < at || node.end > to) continue;
      text += this.#source.slice(at, node.start) + this.#emit(node);
      at = node.end;
    }
    return text + this.#source.slice(at, to);
  }

  /** What the code calls the word goes along, for people who read a schedule. */
  #labelled(call: Syntax, access: string): string {
    const index = (call.arguments as Syntax[])[1];
    if (!this.#fibers || index === undefined) return access;
    const label = labelOf(this.#source.slice(index.start, index.end));
    return label === undefined ? access : `R.labelled(${JSON.stringify(label)}, ${access})`;
  }

  #yielding(star: boolean, text: string): string {
    return this.#fibers ? `(yield${star ? "*" : ""} ${text})` : text;
  }

  #import(node: Syntax): string {
    const from = (node.source as Syntax).raw;
    const parts = (node.specifiers as Syntax[]).map((s) => {
      if (s.type === "ImportNamespaceSpecifier") return `...${nameOf(s.local)}`;
      const local = nameOf(s.local);
      return s.type === "ImportDefaultSpecifier"
        ? `default: ${local}`
        : `${nameOf(s.imported)}: ${local}`;
    });
    return `const { ${parts.join(", ")} } = $import(${String(from)});`;
  }

  #export(node: Syntax): string {
    const declaration = node.declaration as Syntax | null;
    if (declaration === null) {
      for (const s of node.specifiers as Syntax[]) this.#exports.push(nameOf(s.local));
      return "";
    }
    if (declaration.type === "VariableDeclaration") {
      for (const d of declaration.declarations as Syntax[]) this.#exports.push(nameOf(d.id));
    } else this.#exports.push(nameOf(declaration.id));
    return this.#emit(declaration);
  }

  #scoped(node: Syntax, inside: boolean): string {
    const outer = this.#inside;
    this.#inside = inside;
    const text = this.#plain(node);
    this.#inside = outer;
    return text;
  }

  #function(node: Syntax, suspends: boolean): string {
    const text = this.#scoped(node, suspends);
    return suspends && this.#fibers ? text.replace(/^function/, "function*") : text;
  }

  #method(node: Syntax): string {
    const value = node.value as Syntax;
    const isMethod =
      node.type === "MethodDefinition" || node.method === true || node.kind === "get";
    if (!isMethod || !isFunction(value) || node.kind === "constructor") return this.#plain(node);
    const name = nameOf(node.key);
    const getter = node.kind === "get";
    const suspends = (getter ? this.#names.getters : this.#names.calls).has(name);
    const code = this.#scoped(value, suspends);
    if (!suspends || !this.#fibers) {
      return this.#source.slice(node.start, value.start) + code;
    }
    const key = getter
      ? `$get_${name}`
      : this.#source.slice((node.key as Syntax).start, (node.key as Syntax).end);
    return `${node.static === true ? "static " : ""}*${key}${code}`;
  }

  /** A result that nobody uses is not part of the history: states that differ only in it are one. */
  #call(node: Syntax, unused: boolean): string {
    const args = (node.arguments as Syntax[]).map((a) => this.#emit(a)).join(", ");
    const callee = node.callee as Syntax;
    const name = calledName(node);
    if (isCallOn(node, "performance") && name === "now") return "R.now()";
    if (this.#fibers && !this.#inside) return this.#plain(node);
    if (isAtomicsCall(node)) {
      const access = this.#labelled(node, `R.${name}(${args})`);
      return this.#yielding(false, unused && this.#fibers ? `R.unused(${access})` : access);
    }
    if (callee.type === "Identifier" && this.#api.has(name)) {
      return this.#yielding(false, `R.${name}(${args})`);
    }
    if (isMember(callee) && VIEW_METHODS.has(name)) {
      const call = `R.method(${[this.#emit(callee.object as Syntax), `"${name}"`, args].filter(Boolean).join(", ")})`;
      return this.#fibers ? this.#framed(call, unused) : call;
    }
    if (!this.#names.calls.has(name) || !this.#fibers) return this.#plain(node);
    return this.#framed(`R.drive(${this.#emitCallee(callee)}(${args}))`, unused);
  }

  #emitCallee(callee: Syntax): string {
    if (!isMember(callee)) return this.#emit(callee);
    return `${this.#emit(callee.object as Syntax)}.${nameOf(callee.property)}`;
  }

  #framed(call: string, unused = false): string {
    const value = unused ? `(yield* ${call}, undefined)` : `yield* ${call}`;
    return `R.leave(R.enter(${this.#place++}), ${value})`;
  }

  #member(node: Syntax): string {
    if (this.#fibers && !this.#inside) return this.#plain(node);
    const object = node.object as Syntax;
    if (isElement(node)) {
      return this.#yielding(
        true,
        `R.get(${this.#emit(object)}, ${this.#emit(node.property as Syntax)})`,
      );
    }
    if (this.#fibers && this.#names.getters.has(nameOf(node.property))) {
      return this.#framed(`R.getter(${this.#emit(object)}, "${nameOf(node.property)}")`);
    }
    return this.#plain(node);
  }

  /** `target = …`, `target += …` or `target++`. */
  #assignment(node: Syntax): string {
    const counts = node.type === "UpdateExpression";
    const target = (counts ? node.argument : node.left) as Syntax;
    if (this.#fibers && !this.#inside) return this.#plain(node);
    // A changed field is local state that no frame shows: from here on only the whole history identifies a state.
    if (isMember(target) && !isElement(target) && this.#fibers)
      return `(R.exact(), ${this.#plain(node)})`;
    if (!isElement(target)) return this.#plain(node);
    const place = `${this.#emit(target.object as Syntax)}, ${this.#emit(target.property as Syntax)}`;
    const by = counts ? "1" : this.#emit(node.right as Syntax);
    if (node.operator === "=") return this.#yielding(true, `R.put(${place}, ${by})`);
    const operator = counts ? `${String(node.operator)[0]}=` : String(node.operator);
    const old = counts && node.prefix !== true;
    return this.#yielding(true, `R.update(${place}, "${operator}", ${by}, ${old})`);
  }

  #loop(outer: Syntax, loop: Syntax): string {
    if (!this.#fibers || !this.#inside) return this.#plain(outer);
    const place = this.#place++;
    const body = loop.body as Syntax;
    // What the loop assigns and its body does not declare is all that differs from one turn to the next.
    const changing = assignedNames(loop);
    for (const name of declaredNames(body)) changing.delete(name);
    if (loop.init) for (const name of declaredNames(loop.init as Syntax)) changing.add(name);
    const head = `R.head(${[`$${place}`, place, ...changing].join(", ")});`;
    const parts = childrenOf(loop);
    const before = this.#between(parts, outer.start, body.start);
    const after = this.#between(parts, body.end, outer.end);
    return `{ const $${place} = R.base(); ${before}{ ${head} ${this.#emit(body)} }${after} }`;
  }
}
