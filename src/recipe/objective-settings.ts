/** Which policy loss a training has, and its options as settings: `--objective NAME`, `--set objective.share=0.02`. */
import { EngineError, lookUp, option, type OptionSpec, type OptionTable } from "../base/index.ts";
import { namesFile } from "../base/parts/part.ts";
import { type ObjectiveMethod } from "../objective/index.ts";
import { allObjectives } from "../objective/registry.ts";

const all: Readonly<Record<string, ObjectiveMethod>> = allObjectives;

/** Objectives that can stand for the policy loss. */
export const POLICY_LOSSES: readonly string[] = Object.keys(all).filter((id) => all[id]?.policyLoss === true);

/** The recipe's own loss. */
export const OWN_LOSS = "recipe";

/** The setting itself, and the options of the chosen objective under `objective.NAME`. */
export function objectiveTable(chosen: string): OptionTable {
  const choice: OptionSpec = option.choice(
    OWN_LOSS,
    [OWN_LOSS, ...POLICY_LOSSES, ...(namesFile(chosen) ? [chosen] : [])],
    "the policy loss; recipe: the recipe's own",
  );
  const method = policyLossOf(chosen);
  if (method === undefined) return { objective: choice };
  const own = Object.entries(method.options).filter(([, { automatic }]) => automatic !== true);
  const settings = own.map(([name, spec]) => [`objective.${name}`, spec as OptionSpec]);
  return { objective: { ...choice, default: chosen }, ...Object.fromEntries(settings) };
}

/** The objective of this name, where it can stand for the policy loss; undefined where the recipe's own stands. */
export function policyLossOf(name: unknown): ObjectiveMethod | undefined {
  if (typeof name !== "string" || !namesFile(name)) {
    return POLICY_LOSSES.includes(String(name)) ? all[String(name)] : undefined;
  }
  const method = lookUp(all, name, "objective");
  if (method.policyLoss) return method;
  throw new EngineError(
    "bad-part",
    `The objective of "${name}" cannot stand for the policy loss: it says policyLoss: false. Give one that says true.`,
  );
}
