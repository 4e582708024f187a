/** Every line of the matrix, made from the registries: a new method is a line by itself. */
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import { getCredit } from "limbeck/credit";
import { fittingStrategy, POLICY_LOSSES } from "../../packages/core/src/recipe/settings.ts";
import { getRecipe, resolveSettings } from "limbeck/update";
import type { JsonObject } from "limbeck";
import { providersFor } from "../../packages/core/src/update/providers/index.ts";
import { allCredits, allObjectives, allStrategies } from "../all-methods.ts";
import { SHARED_SETTINGS, type Kind, type Line } from "./line.ts";
import { recipeIds, recipeSetting } from "./recipe-lines.ts";
import { rewardIds, rewardSetting } from "./reward-lines.ts";

type Given = Partial<Omit<Line, "id" | "kind">>;
type Values = Readonly<Record<string, OptionValue>>;

const HOUSEHOLD: JsonObject = { dial: "tiny" };
const TOOLS: Given = { env: "tools", envOptions: { opening: "dialogue", reward: "partial" } };

/** Credit methods whose small setting is not the common one. */
const CREDIT: Readonly<Record<string, Given>> = {
  matchtir: TOOLS,
  // Playing on from every state is dear, so fewer episodes.
  "mc-critic": { settings: { tasks: 3, group: 3, "continuations.count": 1 } },
  "iw-opd": { recipe: "iw-opd" },
  opd: { recipe: "opd" },
  opid: { recipe: "opid" },
  "scope-a": { recipe: "scope-a" },
  "sd-grpo": { settings: { "segment-rewards.mark": "word" } },
  "step-grpo": { settings: { "strategy.levels": 2 } },
  skill1: { recipe: "skill1" },
  "spo-chain": { settings: { tasks: 3, group: 3, "cut-continuations.count": 1, "cut-continuations.most": 2 } },
};

/** Objectives that are no policy loss: who has them in a training. */
const OBJECTIVE: Readonly<Record<string, Given>> = {
  aopd: { recipe: "aopd" },
  "candidate-divergence": { recipe: "opid", credit: "opid", settings: { form: "reverse", candidates: 8 } },
  "cross-entropy": { recipe: "rejection-sampling" },
  dpo: { recipe: "online-dpo" },
  "entropy-bonus": { settings: { entropyWeight: 0.01 } },
  kl: { settings: { klWeight: 0.05 } },
  otr: { recipe: "otr" },
  "sampled-divergence": { recipe: "trd", settings: { form: "sampled" } },
  "shaped-ratio": { recipe: "scope-b" },
  "opid-auxiliary": { recipe: "opid", credit: "opid", settings: { auxiliaryWeight: 0.1 } },
  "scope-a": { recipe: "scope-a", settings: { form: "candidates" } },
  sdpo: { recipe: "sdpo" },
  "teacher-divergence": { recipe: "opid", credit: "opid", settings: { form: "forward" } },
  value: { credit: "gae" },
};

const STRATEGY: Readonly<Record<string, Values>> = {
  guided: { "strategy.levels": 2 },
  allocate: { "strategy.first": 2, "strategy.most": 8 },
  prune: { "strategy.keep": 2, "strategy.check": 4 },
};

const STRATEGY_SUPPLIED: Readonly<Record<string, string>> = {
  corrector: "the world's demonstrator as corrector",
  judge: "a scripted judge of steps: 0 where one was refused or led back",
  pool: "a pool of the same policy's episodes with another seed",
  reflector: "the world's demonstrator as reflector",
};

function lineOf(kind: Kind, name: string, given: Given = {}): Line {
  const { recipe = "grpo", settings = {}, env = "household", envOptions = HOUSEHOLD, objective, reward } = given;
  const credit = given.credit ?? getRecipe(recipe).credit;
  return {
    id: `${kind}/${name}`,
    kind,
    env,
    envOptions,
    recipe,
    credit,
    strategy: given.strategy ?? fittingStrategy(credit, getRecipe(recipe)).name,
    objective,
    settings,
    supplied: given.supplied ?? "",
    ...(reward === undefined ? {} : { reward }),
  };
}

export const lines: readonly Line[] = [
  ...recipeLines(),
  ...creditLines(),
  ...objectiveLines(),
  ...strategyLines(),
  ...rewardLines(),
];

function recipeLines(): Line[] {
  return recipeIds.map((recipe) => lineOf("recipe", recipe, { recipe, ...recipeSetting(recipe) }));
}

function creditLines(): Line[] {
  return Object.keys(allCredits).map((credit) => {
    const line = lineOf("credit", credit, { credit, ...CREDIT[credit] });
    const own = { recipe: getRecipe(line.recipe), name: line.recipe, credit, given: given(line) };
    const settings = resolveSettings(own);
    const ids = providersFor(getCredit(credit), settings.credit);
    return { ...line, supplied: ids.length === 0 ? "nothing beyond the episodes" : ids.join(", ") };
  });
}

function objectiveLines(): Line[] {
  return Object.keys(allObjectives).map((name) => {
    const isLoss = POLICY_LOSSES.includes(name);
    if (isLoss) return lineOf("objective", name, { objective: name, supplied: "the policy loss of grpo" });
    const own = OBJECTIVE[name] ?? {};
    return lineOf("objective", name, {
      ...own,
      supplied: `as in ${own.recipe ?? "grpo"}${own.credit === "gae" ? " with gae" : ""}`,
    });
  });
}

function strategyLines(): Line[] {
  return Object.entries(allStrategies).map(([strategy, { needs }]) => {
    const supplied = needs.flatMap((need) => STRATEGY_SUPPLIED[need] ?? []).join("; ");
    return lineOf("strategy", strategy, {
      strategy,
      settings: STRATEGY[strategy] ?? {},
      supplied: supplied || "nothing",
    });
  });
}

function rewardLines(): Line[] {
  return rewardIds.map((name) => {
    const { plan, givens, supplied, ...setting } = rewardSetting(name);
    return lineOf("reward", name, { ...setting, reward: { plan, givens }, supplied });
  });
}

/** The settings that a line gives, shared ones included. */
export function given(line: Pick<Line, "settings">): Values {
  return { ...SHARED_SETTINGS, ...line.settings };
}
