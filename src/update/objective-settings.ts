/** Which policy loss a training has, and its options as settings: `--objective NAME`, `--set objective.share=0.02`. */
import { EngineError, type OptionSpec, type OptionTable, type OptionValue } from "../base/index.ts";
import type { Objective } from "../policy/index.ts";
import { AGGREGATIONS, objectives, type ObjectiveId, type ObjectiveMethod } from "../objective/index.ts";

/** Objectives that can stand for the policy loss. The others are terms beside it, or losses of other kinds of rows. */
export const POLICY_LOSSES = [
  "advantage-regression",
  "cispo",
  "clip-cov",
  "clipped",
  "co-grpo",
  "ctpo",
  "gmpo",
  "gspo",
  "holderpo",
  "kl-cov",
  "policy-gradient",
  "sapo",
] as const satisfies readonly ObjectiveId[];
export type PolicyLossId = (typeof POLICY_LOSSES)[number];

/** The recipe's own loss. */
export const OWN_LOSS = "recipe";

const PREFIX = "objective.";

/** Texts that options take; numbers and flags need no list. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  aggregation: AGGREGATIONS,
  annealing: ["constant", "linear", "sine", "cosine", "power"],
  prefix: ["sum", "mean"],
  dualClip: ["upper"],
};

/** Options that are structures, or that the training itself fills in. */
const NOT_SET: ReadonlySet<string> = new Set(["counts", "rolloutCorrection", "step"]);

const methodOf = (id: string): ObjectiveMethod<Record<string, unknown>> => objectives[id as PolicyLossId];

/** The setting itself, and the options of the chosen objective under `objective.NAME`. */
export function objectiveTable(chosen: string): OptionTable {
  const choice: OptionSpec = {
    kind: "choice",
    default: OWN_LOSS,
    choices: [OWN_LOSS, ...POLICY_LOSSES],
    meaning: "the policy loss; recipe: the recipe's own",
  };
  if (!(POLICY_LOSSES as readonly string[]).includes(chosen)) return { objective: choice };
  const own = Object.entries(methodOf(chosen).info.defaults).flatMap(([name, value]) => {
    const spec = NOT_SET.has(name) ? undefined : specOf(name, value as OptionValue, chosen);
    return spec === undefined ? [] : [[`${PREFIX}${name}`, spec] as const];
  });
  return { objective: { ...choice, default: chosen }, ...Object.fromEntries(own) };
}

function specOf(name: string, value: OptionValue, chosen: string): OptionSpec | undefined {
  const meaning = `option ${name} of ${chosen}`;
  if (typeof value === "boolean") return { kind: "flag", default: value, meaning };
  if (typeof value === "string") return { kind: "choice", default: value, choices: CHOICES[name] ?? [value], meaning };
  // A bound that is a number by default may be switched off.
  if (value === null || name === "dualClip") return { kind: "limit", default: value, meaning };
  return { kind: "number", default: value, meaning };
}

/** The chosen objective; undefined where the recipe's own stands. `update` counts from 1 and drives annealing. */
export function chosenObjective(
  settings: Readonly<Record<string, OptionValue>>,
  update: number,
  correction: Readonly<Record<string, unknown>> = {},
): { readonly objective: Objective; readonly needsReference: boolean } | undefined {
  const id = settings["objective"];
  if (typeof id !== "string" || id === OWN_LOSS) return undefined;
  const method = methodOf(id);
  const own = Object.entries(settings).filter(([key]) => key.startsWith(PREFIX));
  const options = Object.fromEntries(own.map(([key, value]) => [key.slice(PREFIX.length), value]));
  if (Object.keys(correction).some((name) => !Object.hasOwn(method.info.defaults, name))) {
    throw new EngineError(
      "needs-unmet",
      `The objective ${id} cannot weigh tokens of an earlier version. Choose --correction bypass or none, or another --objective.`,
      { details: { objective: id } },
    );
  }
  const step = Object.hasOwn(method.info.defaults, "step") ? { step: update - 1 } : {};
  return {
    objective: method.create({ ...options, ...step, ...correction }),
    needsReference: method.rowFields.includes("referenceLogprobs"),
  };
}
