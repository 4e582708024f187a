/** Which policy loss a training has, and its options as settings: `--objective NAME`, `--set objective.share=0.02`. */
import { EngineError, type OptionSpec, type OptionTable, type OptionValue } from "../base/index.ts";
import type { Objective } from "../policy/index.ts";
import { objectives, type ObjectiveMethod } from "../objective/index.ts";

const all: Readonly<Record<string, ObjectiveMethod>> = objectives;

/** Objectives that can stand for the policy loss. */
export const POLICY_LOSSES: readonly string[] = Object.keys(all).filter((id) => all[id]?.policyLoss === true);

/** The recipe's own loss. */
export const OWN_LOSS = "recipe";

const PREFIX = "objective.";

/** The setting itself, and the options of the chosen objective under `objective.NAME`. */
export function objectiveTable(chosen: string): OptionTable {
  const choice: OptionSpec = {
    kind: "choice",
    default: OWN_LOSS,
    choices: [OWN_LOSS, ...POLICY_LOSSES],
    meaning: "the policy loss; recipe: the recipe's own",
  };
  if (!POLICY_LOSSES.includes(chosen)) return { objective: choice };
  const own = Object.entries(all[chosen]?.options ?? {}).filter(([, { automatic }]) => automatic !== true);
  const settings = own.map(([name, spec]) => [`${PREFIX}${name}`, spec as OptionSpec]);
  return { objective: { ...choice, default: chosen }, ...Object.fromEntries(settings) };
}

/** The chosen objective; undefined where the recipe's own stands. `update` counts from 1 and drives annealing. */
export function chosenObjective(
  settings: Readonly<Record<string, OptionValue>>,
  update: number,
  correction: Readonly<Record<string, unknown>> = {},
): { readonly objective: Objective; readonly needsReference: boolean } | undefined {
  const method = all[String(settings["objective"])];
  if (method === undefined) return undefined;
  const own = Object.entries(settings).filter(([key]) => key.startsWith(PREFIX));
  const options = Object.fromEntries(own.map(([key, value]) => [key.slice(PREFIX.length), value]));
  if (Object.keys(correction).some((name) => !Object.hasOwn(method.options, name))) {
    throw new EngineError(
      "needs-unmet",
      `The objective ${method.id} cannot weigh tokens of an earlier version. Choose --correction bypass or none, or another --objective.`,
      { details: { objective: method.id } },
    );
  }
  const step = Object.hasOwn(method.options, "step") ? { step: update - 1 } : {};
  return {
    objective: method.create({ ...options, ...step, ...correction }),
    needsReference: method.rowFields.includes("referenceLogprobs"),
  };
}
