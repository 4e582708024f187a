/** JSON schema (draft 2020-12) of a table of options, for editors and for programs that write settings. */
import { withoutUndefined } from "./fields.ts";
import type { DeepTable, NestedKind, NumberKind, Range, ValueKind } from "./option-table.ts";

type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * An object with the options of the table; none other.
 *
 * @example
 * const { properties } = optionsSchema({ group: option.count(8, "episodes of a task") });
 * console.log(properties); // { group: { type: "integer", minimum: 1, description: "episodes of a task", default: 8 } }
 */
export function optionsSchema(table: DeepTable): JsonSchema {
  return fieldsSchema(table);
}

function fieldsSchema(fields: NestedKind["fields"]): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name]?.default === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, spec]) => [
        name,
        {
          ...(spec.default === null || spec.kind === "limit"
            ? { anyOf: [kindSchema(spec), { type: "null" }] }
            : kindSchema(spec)),
          description: spec.meaning,
          ...(spec.default === undefined ? {} : { default: spec.default }),
        },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function kindSchema(spec: ValueKind): JsonSchema {
  switch (spec.kind) {
    case "flag":
      return { type: "boolean" };
    case "choice":
      return { enum: spec.choices };
    case "text":
      return { type: "string", minLength: 1, ...(spec.word === true ? { pattern: "^[A-Za-z][\\w-]*$" } : {}) };
    case "number":
      return numberSchema(spec);
    case "limit":
      return spec.words === undefined ? numberSchema(spec) : { anyOf: [numberSchema(spec), { enum: spec.words }] };
    case "list":
      return {
        type: "array",
        items: kindSchema(spec.of),
        ...(spec.fewest === undefined ? {} : { minItems: spec.fewest }),
      };
    case "map":
      return {
        type: "object",
        additionalProperties: kindSchema(spec.of),
        ...(spec.fewest === undefined ? {} : { minProperties: spec.fewest }),
      };
    case "table":
      return fieldsSchema(spec.fields);
    case "json":
      break;
  }
  return {};
}

function numberSchema({ whole, least, above, most }: Range & Pick<NumberKind, "whole">): JsonSchema {
  return {
    type: whole === true ? "integer" : "number",
    ...withoutUndefined({ minimum: least, exclusiveMinimum: above, maximum: most }),
  };
}
