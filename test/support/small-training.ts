/** The plan of a training that is over in a moment. What is set here is what most tests do not care about. */
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import type { RecipeId } from "../../packages/core/src/recipe/registry.ts";
import type { TrainOptions } from "../../packages/training/src/training/options.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

type Options = TrainOptions<RecipeId, string>;
type Wanted = Required<Pick<Options, "recipe" | "env" | "envName" | "model" | "dir" | "steps">> &
  Omit<Options, "settings"> & {
    /** Settings of the recipe; its defaults for the rest. */
    readonly given?: Readonly<Record<string, OptionValue>>;
  };

/** Default: nobody is validated and nothing reported; the recipe's own credit method. */
export function smallPlan({ given = {}, ...wanted }: Wanted): Options {
  return {
    strategy: "group",
    settings: given,
    validation: { every: 0, tasks: 1, split: "valid", ...wanted.validation },
    report: { tasks: 0, split: "valid" },
    resume: true,
    keep: false,
    threads: 1,
    now: () => 0,
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
