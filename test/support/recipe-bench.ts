/** One update of a recipe on real parts: episodes of a noisy walker in a corridor, and a small model that learns from them. */
import { openTeacher } from "../../packages/core/src/distill/index.ts";
import { createGuard } from "../../packages/core/src/distill/guard.ts";
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Dialect } from "../../packages/policy/src/policy/dialect.ts";
import type { LocalModel } from "../../packages/policy/src/policy/local/local-model.ts";
import { createModel } from "../../packages/policy/src/policy/local/open-model.ts";
import { copyWeights } from "../../packages/policy/src/policy/local/weights.ts";
import { byteTokenizer, plainDialect } from "../../packages/policy/src/policy/tabular/script-tokenizer.ts";
import { createScriptedPolicy, type ScriptedPolicy } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";
import { getCredit } from "../../packages/core/src/credit/registry.ts";
import { getRecipe } from "../../packages/core/src/recipe/registry.ts";
import { resolveSettings, policyLossOf } from "../../packages/core/src/recipe/settings.ts";
import { createContext, type UpdateContext } from "../../packages/core/src/update/context.ts";
import type { UpdateRecord } from "../../packages/core/src/update/record.ts";
import { providers } from "../../packages/core/src/update/providers/index.ts";
import { type Settings, flattenSettings } from "../../packages/core/src/update/settings.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import { createStatisticsAnalyst } from "../../packages/core/src/skill/statistics/statistics.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { eastward } from "./provider-bench.ts";
import { tinyConfig } from "./tiny-model.ts";

const tokenizer = byteTokenizer();
export const corridorDialect: Dialect = plainDialect(tokenizer);

export const corridor = (): Env => createCorridor({ rooms: 3, maxSteps: 5 });

/** Goes east with probability 0.6: some episodes reach the last room in time and some do not. */
export const corridorPolicy = (): ScriptedPolicy =>
  createScriptedPolicy({
    script: () => [
      { text: "go east", probability: 0.6 },
      { text: "go west", probability: 0.3 },
      { text: "wait", probability: 0.1 },
    ],
  });

/** Six episodes of each task. */
export async function corridorEpisodes(seed: string, count = 3): Promise<readonly Trajectory[]> {
  const env = corridor();
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count })) tasks.push(task);
  const policy = corridorPolicy();
  const agent = createTokenAgent({ policy, dialect: corridorDialect, answerTokens: 16 });
  const { trajectories } = await rollOut({ env, agent, tasks, seed, strategy: createStrategy("group", { size: 6 }) });
  return trajectories;
}

/** Six episodes, of which half arrive: for tests to which it does not matter how many there are. */
export const oneTask = (): Promise<readonly Trajectory[]> => corridorEpisodes("two", 1);

export async function smallModel(): Promise<LocalModel> {
  return await createModel(
    { ...tinyConfig, layers: 1, vocabularySize: 272, contextLength: 512 },
    { seed: 1, threads: 1 },
  );
}

export interface Tried {
  readonly record: UpdateRecord;
  readonly settings: Settings;
  readonly before: Float32Array;
  readonly model: LocalModel;
}

export type TryParts = Partial<Omit<UpdateContext, "model" | "credit" | "settings" | "ledger" | "record">> & {
  readonly given?: Readonly<Record<string, unknown>>;
  readonly credit?: string;
  readonly model?: LocalModel;
  /** Where the episodes come from. Default: a noisy walker. */
  readonly collect?: NonNullable<UpdateContext["supply"]>;
};

/** Runs one update of the recipe of this name; the caller closes the model. */
export async function tryRecipe(
  name: string,
  parts: TryParts = {},
): Promise<Tried & { readonly update: UpdateContext }> {
  const tried = await openUpdate(name, parts);
  await getRecipe(name).update(tried.update, flattenSettings(tried.settings));
  return tried;
}

/** The context of such an update, before anything is done. */
export async function openUpdate(
  name: string,
  { given = {}, credit, collect, ...parts }: TryParts = {},
): Promise<Tried & { readonly update: UpdateContext }> {
  const recipe = getRecipe(name);
  const chosen = credit ?? recipe.credit;
  const settings = resolveSettings({ name, recipe, credit: chosen, given });
  const model = parts.model ?? (await smallModel());
  const start = copyWeights(model.weights);
  const update = createContext({
    update: 1,
    seed: 1,
    settings,
    credit: getCredit(chosen),
    policyLoss: policyLossOf(settings.objective.name),
    providers,
    dialect: corridorDialect,
    start: model.scorerWith(start),
    teacher: await openTeacher(settings.teacher ?? "reference", model, {
      start,
      decay: 0.5,
      source: settings.teacherSource ?? null,
    }),
    teacherPolicy: () => model,
    guard: createGuard(),
    analyst: createStatisticsAnalyst(),
    strategy: createStrategy("group", { size: 2 }),
    silenced: false,
    learningRate: 0.01,
    supply: collect ?? (() => corridorEpisodes("one")),
    env: corridor(),
    demonstrator: eastward,
    skills: {},
    kept: null,
    creditState: null,
    now: () => 0,
    signal: new AbortController().signal,
    ...parts,
    model,
  });
  return { update, record: update.record, settings, before: start.flat, model };
}
