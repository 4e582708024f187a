/**
 * Reply templates of the text grammar.
 *
 *   plain text   #rule#   {expression}   {expression | query}   [{expression | query}]
 *
 * An expression is `variable.attribute`, `'text'`, sums of them, or `this or that`; a rule may stand in its place. A
 * query is `predicate(x:type, …) & …`; with one, the part is repeated for every answer, and square brackets join the
 * repetitions with the rules list_separator, list_last_separator and list_empty.
 */
import { EngineError } from "limbeck-base/base/errors";

export interface QueryAtom {
  /** A leading `not_` asks for facts that an action has made false. */
  readonly predicate: string;
  readonly variables: readonly { readonly name: string; readonly type: string }[];
}

export type Query = readonly QueryAtom[];

export type Expression =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attribute"; readonly variable: string; readonly attribute: string }
  | { readonly kind: "sum"; readonly parts: readonly Expression[] }
  | { readonly kind: "or"; readonly parts: readonly Expression[] };

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "rule"; readonly rule: string }
  | {
      readonly kind: "each";
      readonly item: Expression | { readonly kind: "rule"; readonly rule: string };
      readonly query: Query | undefined;
      readonly list: boolean;
    };

export type Template = readonly Part[];

const ATTRIBUTES = ["name", "id", "indefinite", "definite"];

/** A stray closing sign ends the text, as in the original: one official rule has one. */
export function parseTemplate(text: string): Template {
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    if (sign === "#") {
      const end = closing(text, at + 1, "#");
      parts.push({ kind: "rule", rule: text.slice(at + 1, end) });
      at = end + 1;
    } else if (sign === "{") {
      const end = closing(text, at + 1, "}");
      parts.push(each(text.slice(at + 1, end), false));
      at = end + 1;
    } else if (sign === "[") {
      const end = closing(text, at + 1, "]");
      const inner = text.slice(at + 1, end).trim();
      if (!inner.startsWith("{") || !inner.endsWith("}")) throw bad(`[${inner}]`, "a list holds one part in braces");
      parts.push(each(inner.slice(1, -1), true));
      at = end + 1;
    } else if (sign === "}" || sign === "]") return parts;
    else {
      const rest = text.slice(at).search(/[#{}[\]]/);
      const end = rest === -1 ? text.length : at + rest;
      parts.push({ kind: "text", text: text.slice(at, end) });
      at = end;
    }
  }
  return parts;
}

/** `predicate(x:type, y:type) & …`, in lower case like all names of the planning language. */
export function parseQuery(text: string): Query {
  return text.split("&").map((piece) => {
    const match = /^\s*([\w-]+)\s*\(([^()]*)\)\s*$/.exec(piece);
    const [, predicate, list] = match ?? [];
    if (predicate === undefined || list === undefined) throw bad(text, "a query is predicate(x:type, …) & …");
    const variables = list.split(",").filter((entry) => entry.trim() !== "");
    return {
      predicate: predicate.toLowerCase(),
      variables: variables.map((entry) => {
        const [name, type, more] = entry.split(":").map((word) => word.trim().toLowerCase());
        if (name === undefined || type === undefined || more !== undefined) throw bad(text, "a variable is name:type");
        return { name, type };
      }),
    };
  });
}

function each(text: string, list: boolean): Part {
  const bar = text.indexOf("|");
  const query = bar === -1 ? undefined : parseQuery(text.slice(bar + 1));
  const body = (bar === -1 ? text : text.slice(0, bar)).trim();
  const rule = /^#([^#]*)#$/.exec(body)?.[1];
  return { kind: "each", item: rule === undefined ? parseExpression(body) : { kind: "rule", rule }, query, list };
}

function parseExpression(text: string): Expression {
  const choices = text.split(/\s+or\s+/);
  if (choices.length > 1) return { kind: "or", parts: choices.map(parseExpression) };
  const terms = text.match(/'[^']*'|[^+']+/g) ?? [];
  if (terms.length > 1) return { kind: "sum", parts: terms.filter((term) => term.trim() !== "").map(parseExpression) };
  const word = text.trim();
  if (/^'[^']*'$/.test(word)) return { kind: "text", text: word.slice(1, -1) };
  const match = /^([a-z_]\w*)(?:\.([a-z_]+))?$/i.exec(word);
  const [, variable, attribute = "name"] = match ?? [];
  if (variable === undefined)
    throw bad(text, "an expression is variable.attribute, 'text', a sum or a choice of these");
  if (!ATTRIBUTES.includes(attribute))
    throw bad(text, `the attribute "${attribute}" is not among ${ATTRIBUTES.join(", ")}`);
  return { kind: "attribute", variable: variable.toLowerCase(), attribute };
}

function closing(text: string, from: number, sign: string): number {
  const end = text.indexOf(sign, from);
  if (end === -1) throw bad(text, `"${sign}" is missing`);
  return end;
}

function bad(text: string, what: string): EngineError {
  const shown = text.length > 80 ? `${text.slice(0, 77)}…` : text;
  return new EngineError(
    "bad-game",
    `Bad game file: in grammar, the text ${JSON.stringify(shown)} is not understood: ${what}.`,
  );
}
