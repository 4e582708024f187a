/** Puts replies together: production rules and lists over what is true now. */
import { EngineError } from "../../base/index.ts";
import type { Grammar } from "./grammar.ts";
import type { Grounding } from "./ground.ts";
import { eachAnswer } from "./query.ts";
import { Scope } from "./scope.ts";
import type { Expression, Part, Template } from "./template.ts";
import { replies } from "./work.ts";

export interface TextContext extends Grounding {
  readonly grammar: Grammar;
}

/** Official replies nest 5 deep; a rule that calls itself must not hang. */
const MAX_DEPTH = 60;

export function renderText(
  template: Template,
  context: TextContext,
  bits: Uint32Array,
  scope: Scope = new Scope(),
  depth = 0,
): string {
  if (depth === 0) replies.begin();
  let text = "";
  for (const part of template) {
    if (part.kind === "text") text += part.text;
    else if (part.kind === "rule") text += rule(part.rule, context, bits, scope, depth);
    else text += each(part, context, bits, scope, depth);
  }
  return text;
}

function rule(name: string, context: TextContext, bits: Uint32Array, scope: Scope, depth: number): string {
  replies.spend();
  if (depth > MAX_DEPTH) throw bad(`the rule "${name}" calls itself without end`);
  const productions = context.grammar.rules.get(name);
  if (productions === undefined) throw bad(`the rule "#${name}#" does not exist`);
  for (const { condition, template } of productions) {
    const applies =
      condition === undefined || eachAnswer({ query: condition, grounding: context, bits, scope, tell: stopAtFirst });
    if (applies) return renderText(template, context, bits, scope, depth + 1);
  }
  throw bad(`no production of the rule "${name}" applies`);
}

function stopAtFirst(): boolean {
  return false;
}

function each(
  part: Part & { readonly kind: "each" },
  context: TextContext,
  bits: Uint32Array,
  scope: Scope,
  depth: number,
): string {
  const { item, query } = part;
  if (query === undefined) return renderItem(item, context, bits, scope, depth);
  const texts: string[] = [];
  const asking = {
    query,
    grounding: context,
    bits,
    scope,
    tell: () => texts.push(renderItem(item, context, bits, scope, depth)) > 0,
  };
  eachAnswer(asking);
  if (!part.list || texts.length === 1) return texts.join("");
  if (texts.length === 0) return rule("list_empty", context, bits, scope, depth);
  const separator = rule("list_separator", context, bits, scope, depth);
  const lastSeparator = rule("list_last_separator", context, bits, scope, depth);
  return texts.slice(0, -1).join(separator) + lastSeparator + (texts.at(-1) ?? "");
}

function renderItem(
  item: (Part & { readonly kind: "each" })["item"],
  context: TextContext,
  bits: Uint32Array,
  scope: Scope,
  depth: number,
): string {
  return item.kind === "rule" ? rule(item.rule, context, bits, scope, depth) : value(item, context, scope);
}

function value(expression: Expression, context: TextContext, scope: Scope): string {
  if (expression.kind === "text") return expression.text;
  if (expression.kind === "sum" || expression.kind === "or") {
    let text = "";
    for (const part of expression.parts)
      if (expression.kind === "sum" || text === "") text += value(part, context, scope);
    return text;
  }
  const entity = scope.named(expression.variable);
  if (entity < 0) throw bad(`the variable "${expression.variable}" has no value`);
  if (expression.attribute === "indefinite") return "a";
  if (expression.attribute === "definite") return "the";
  const list = expression.attribute === "id" ? context.entities.ids : context.entities.names;
  return list[entity] ?? "";
}

function bad(what: string): EngineError {
  return new EngineError("bad-game", `Bad game file: in grammar, ${what}.`);
}
