/** The words of a command: an action's template with the names of the things it is about. */
import { EngineError } from "limbeck-base/base/errors";
import type { Action } from "./domain.ts";
import { Scope, renderText, type TextContext } from "./text.ts";
import type { Part, Query } from "./template.ts";

const NO_BITS = new Uint32Array(0);

/** Variables of a command or a reply: the action's parameters without the question mark. */
export function scopeOf(action: Action, values: ArrayLike<number>): Scope {
  const scope = new Scope();
  for (let slot = 0; slot < action.parameters.length; slot += 1) {
    const { name, type } = action.parameters[slot] as Action["parameters"][number];
    scope.push(name.slice(1), type, values[slot] as number);
  }
  return scope;
}

/** Most templates are words and names only; those are joined without asking the grammar again. */
export function commandWriter(action: Action, context: TextContext): (values: readonly number[]) => string {
  const template = context.grammar.actions.get(action.name)?.command;
  if (template === undefined) {
    throw new EngineError("bad-game", `Bad game file: the grammar has no text for the action "${action.name}".`);
  }
  if (template.some((part) => part.kind === "rule" || (part.kind === "each" && asksChanging(part.query, context)))) {
    // The same words would mean different things as the game goes on.
    throw new EngineError("bad-game", `Bad game file: the command of "${action.name}" depends on facts that change.`);
  }
  const pieces = template.map((part) => plainPiece(part, action));
  if (!pieces.every((piece) => piece !== undefined)) {
    return (values) => renderText(template, context, NO_BITS, scopeOf(action, values));
  }
  const { names } = context.entities;
  return (values) => {
    let text = "";
    for (const piece of pieces) text += typeof piece === "string" ? piece : (names[values[piece] as number] as string);
    return text;
  };
}

function asksChanging(query: Query | undefined, context: TextContext): boolean {
  return query?.some(({ predicate }) => context.space.fluents.has(predicate)) ?? false;
}

/** A text, or the slot of the parameter whose name stands here; undefined for anything else. */
function plainPiece(part: Part, action: Action): string | number | undefined {
  if (part.kind === "text") return part.text;
  if (part.kind === "rule" || part.query !== undefined || part.item.kind !== "attribute") return undefined;
  const { attribute, variable } = part.item;
  const slot = action.parameters.findIndex(({ name }) => name === `?${variable}`);
  return attribute === "name" && slot >= 0 ? slot : undefined;
}
