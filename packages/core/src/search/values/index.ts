/** Values of unfinished episodes, by id. A new one is a file and a line here. */
import { lookUp } from "limbeck-base/base/registry";
import { resolveOptions } from "limbeck-base/base/options";
import { confidence } from "./confidence.ts";
import { critic } from "./critic.ts";
import { judge } from "./judge.ts";
import { monteCarlo } from "./monte-carlo.ts";
import { progress } from "./progress.ts";
import type { Value } from "../search.ts";
import type { ValueDefinition, ValueGivens } from "./value.ts";
import { verifier } from "./verifier.ts";

export const values = {
  confidence,
  critic,
  judge,
  "monte-carlo": monteCarlo,
  progress,
  verifier,
} as const satisfies Record<string, ValueDefinition>;

/**
 * The value of this name, or an error that lists the known ones.
 *
 * @example
 * console.log(Object.keys(getValue("monte-carlo").options)); // [ "rollouts", "steps" ]
 */
export function getValue(name: string): ValueDefinition {
  return lookUp<ValueDefinition>(values, name, "value");
}

/**
 * A value ready to be asked, with its options checked.
 *
 * @example
 * const value = createValue("monte-carlo", { rollouts: 1 });
 * const found = await search({ env: "countdown", policy: "expert", tasks: 1, search: "beam", value, budget: { modelCalls: 20, envSteps: 20 } });
 * console.log(found.success); // 1
 */
export function createValue(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
  givens: ValueGivens = {},
): Value {
  const definition = getValue(name);
  return definition.create(resolveOptions(definition.options, options, name), givens);
}
