/** The plan of a training that is over in a moment. What is set here is what most tests do not care about. */
import { getRecipe, resolveSettings } from "../../src/recipe/index.ts";
import { type TrainingPlan } from "../../src/training/index.ts";
import { createStatisticsAnalyst } from "../../src/skill/index.ts";
import { scored, type Trajectory } from "../../src/trajectory/index.ts";

type Wanted = Pick<TrainingPlan, "recipe" | "env" | "envName" | "model" | "dir" | "updates"> &
  Partial<TrainingPlan> & {
    /** Settings of the recipe; its defaults for the rest. */
    readonly given?: Readonly<Record<string, unknown>>;
  };

/** Nobody is validated and nothing reported unless told; the recipe's own credit method. */
export function smallPlan({ given = {}, ...wanted }: Wanted): TrainingPlan {
  const recipe = getRecipe(wanted.recipe);
  const { credit = recipe.credit } = wanted;
  return {
    credit,
    strategy: "group",
    settings: resolveSettings({ name: wanted.recipe, recipe, credit, given }),
    analyst: createStatisticsAnalyst(),
    seed: 1,
    validation: { every: 0, tasks: 1, split: "valid" },
    report: { tasks: 0, split: "valid" },
    evaluationTemperature: 0.4,
    stopAt: null,
    checkpointEvery: 5,
    resume: true,
    keep: false,
    threads: 1,
    onEvent: () => undefined,
    now: () => 0,
    signal: new AbortController().signal,
    ...wanted,
  };
}

/** Equal rewards teach nothing, and a random model solves nothing: even tokens are worth a point. */
export function evenTokens(episodes: readonly Trajectory[]): Promise<readonly Trajectory[]> {
  const rewarded = episodes.map((episode) => {
    const said = episode.streams.flatMap(({ ids, mask }) => [...ids].filter((_, at) => mask[at] === 1));
    return { ...episode, reward: scored(said.filter((id) => id % 2 === 0).length) };
  });
  return Promise.resolve(rewarded);
}
