/** One update of a recipe on real parts: episodes of a noisy walker in a corridor, and a small model that learns from them. */
import { createGuard, openTeacher } from "../../src/distill/index.ts";
import { createCorridor } from "../../src/env/corridor.ts";
import type { Env } from "../../src/env/index.ts";
import type { Dialect } from "../../src/policy/index.ts";
import { copyWeights, createModel, type LocalModel } from "../../src/policy/local/index.ts";
import {
  byteTokenizer,
  createScriptedPolicy,
  plainDialect,
  type ScriptedPolicy,
} from "../../src/policy/tabular/index.ts";
import { getRecipe, resolveSettings, type Settings } from "../../src/recipe/index.ts";
import { createWorkbench, type UpdateRecord, type Workbench, type WorkbenchParts } from "../../src/update/workbench.ts";
import { createStrategy, createTokenAgent, rollOut } from "../../src/rollout/index.ts";
import { createStatisticsAnalyst } from "../../src/skill/index.ts";
import type { Task, Trajectory } from "../../src/trajectory/index.ts";
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

export async function corridorEpisodes(seed: string): Promise<readonly Trajectory[]> {
  const env = corridor();
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: 3 })) tasks.push(task);
  const policy = corridorPolicy();
  const agent = createTokenAgent({ policy, dialect: corridorDialect, answerTokens: 16 });
  const { trajectories } = await rollOut({ env, agent, tasks, seed, strategy: createStrategy("group", { size: 6 }) });
  return trajectories;
}

export async function smallModel(): Promise<LocalModel> {
  return await createModel({ ...tinyConfig, vocabularySize: 272, contextLength: 512 }, { seed: 1, threads: 1 });
}

export interface Tried {
  readonly record: UpdateRecord;
  readonly settings: Settings;
  readonly before: Float32Array;
  readonly model: LocalModel;
}

export type TryParts = Partial<Omit<WorkbenchParts, "model">> & {
  readonly given?: Readonly<Record<string, unknown>>;
  readonly model?: LocalModel;
};

/** Runs one update of the recipe of this name; the caller closes the model. */
export async function tryRecipe(name: string, parts: TryParts = {}): Promise<Tried> {
  const { bench, ...tried } = await openBench(name, parts);
  await getRecipe(name).update(bench, tried.settings);
  return tried;
}

/** The workbench of such an update, before anything is done on it. */
export async function openBench(
  name: string,
  { given = {}, credit, ...parts }: TryParts = {},
): Promise<Tried & { readonly bench: Workbench }> {
  const recipe = getRecipe(name);
  const chosen = credit ?? recipe.credit;
  const settings = resolveSettings({ name, recipe, credit: chosen, given });
  const model = parts.model ?? (await smallModel());
  const start = copyWeights(model.weights);
  const { bench, record } = createWorkbench({
    update: 1,
    seed: 1,
    settings,
    credit: chosen,
    model,
    dialect: corridorDialect,
    start: model.scorerWith(start),
    teacher: await openTeacher(String(settings["teacher"] ?? "reference"), model, {
      start,
      decay: 0.5,
      source: typeof settings["teacherSource"] === "string" ? settings["teacherSource"] : null,
    }),
    guard: createGuard(),
    analyst: createStatisticsAnalyst(),
    silenced: false,
    learningRate: 0.01,
    collect: () => corridorEpisodes("one"),
    env: corridor(),
    demonstrator: eastward,
    now: () => 0,
    signal: new AbortController().signal,
    ...parts,
  });
  return { bench, record, settings, before: start.flat, model };
}
