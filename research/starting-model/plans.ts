/** What a starting model is made from, by world: its lessons, the stages of its training, and what tells them apart. */
import { join } from "node:path";
import { bundledModel, bundledModelFor } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { lookUp } from "../../packages/base/src/base/registry.ts";
import type { ModelConfig } from "limbeck/local";
import { baseConfig, baseSettings, baseSource } from "./base.ts";
import { officialGames, officialSource } from "./official-games.ts";
import { readShards, type LessonSource } from "./lesson-files.ts";
import { modelConfig, settings, type Rates, type Stage, type Training } from "./settings.ts";
import { householdSource, shardsOf } from "./shards.ts";
import type { PlannedStage } from "./stages.ts";
import { startingWorlds } from "./worlds/index.ts";
import type { StartingWorld } from "./worlds/starting-world.ts";
import { worldRates, worldTraining } from "./worlds/world-settings.ts";
import { sourceOf } from "./worlds/world-source.ts";

export interface ModelPlan {
  readonly source: LessonSource;
  readonly config: ModelConfig;
  readonly training: Training;
  /** Everything that the lessons follow from, and the stages: folders of other settings are other folders. */
  readonly lessonsMadeFrom: unknown;
  readonly stagesMadeFrom: unknown;
  readonly stages: (lessons: string) => readonly PlannedStage[];
}

/** Where the model of a world lies: in its package, or in a folder of its own where it does not come with Limbeck. */
export function folderFor(world: string): string {
  const name = bundledModelFor(world);
  return name === world ? bundledModel(name) : join("models", world);
}

/** `updates` makes every stage that short, on few lessons: a trial of the way, and a model of no use. */
export function planFor(world: string, updates: number | undefined): ModelPlan {
  if (world === "household") return householdPlan(updates);
  if (world === "alfworld") return oneStage(officialSource, officialGames, updates);
  if (world === "base") return { ...oneStage(baseSource, baseSettings, updates), config: baseConfig };
  return worldPlan(lookUp<StartingWorld>(startingWorlds, world, "world with a starting model"), updates);
}

function householdPlan(updates: number | undefined): ModelPlan {
  const { stages, ...rest } = settings;
  const planned = updates === undefined ? stages : stages.map((stage) => trial(stage, updates));
  const source = householdSource(settings);
  return {
    source,
    config: modelConfig,
    training: settings,
    lessonsMadeFrom: rest,
    stagesMadeFrom: planned,
    stages: (lessons) =>
      planned.map((stage) => ({
        ...stage,
        rows: () => readShards(lessons, source, { numbers: shardsOf(settings, stage), set: stage.lessons }),
      })),
  };
}

function trial(stage: Stage, updates: number): Stage {
  return { ...shortened(stage, updates), games: { offset: stage.games.offset, count: settings.gamesPerShard } };
}

function shortened<T extends Rates>(rates: T, updates: number): T {
  return { ...rates, updates, warmupUpdates: Math.min(rates.warmupUpdates, updates) };
}

function worldPlan(world: StartingWorld, updates: number | undefined): ModelPlan {
  const made = { ...world, ...worldRates(world), example: world.place(1) };
  return oneStage(sourceOf(world), made, updates);
}

/** All lessons in one stage. */
function oneStage(
  source: LessonSource,
  made: Rates & { readonly shards: number },
  updates: number | undefined,
): ModelPlan {
  const { learningRate, finalLearningRate, batchRows, warmupUpdates } = made;
  const whole = { updates: made.updates, batchRows, learningRate, finalLearningRate, warmupUpdates };
  const rates = updates === undefined ? whole : shortened(whole, updates);
  const numbers = Array.from({ length: updates === undefined ? made.shards : 1 }, (_, at) => at);
  return {
    source,
    config: modelConfig,
    training: worldTraining,
    lessonsMadeFrom: made,
    stagesMadeFrom: { rates, numbers },
    stages: (lessons) => [{ ...rates, rows: () => readShards(lessons, source, { numbers, set: "all" }) }],
  };
}
