/** A scripted agent of a world as an expert: good where its skill is asked for, and elsewhere whatever it falls back on. */
import type { Demonstrator } from "../../env/index.ts";
import { advice } from "../../env/expert.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Expert } from "../expert.ts";

export interface DemonstratorExpertOptions extends Pick<Expert, "name" | "skill" | "description" | "price"> {
  readonly demonstrator: Demonstrator;
  /** Which tasks it knows how to do. Default: all. */
  readonly knows?: (task: Task) => boolean;
  /** Who acts in its place on the others. Default: it then says nothing. */
  readonly otherwise?: Demonstrator;
  /** Chance, at every question, that it does what it falls back on all the same. Default: 0. */
  readonly slips?: number;
}

/**
 * A demonstrator as an expert with a name and a price.
 *
 * @example
 * import { getWorld } from "limbeck/env";
 *
 * const env = await openEnv("countdown");
 * const { demonstrators = {} } = await getWorld("countdown");
 * const { expert: demonstrator } = demonstrators;
 * if (demonstrator !== undefined) {
 *   const expert = createDemonstratorExpert({ demonstrator, name: "Sage", skill: "sums", description: "Knows sums.", price: 1 });
 *   for await (const task of env.tasks("train", { count: 1 })) {
 *     const { observation } = await env.open(task);
 *     const past = [{ observation, admissible: undefined, action: undefined }];
 *     console.log((await expert.advise({ task, query: task.goal, past, rng: createRng(1) })).action?.includes("<answer>")); // true
 *   }
 * }
 */
export function createDemonstratorExpert(options: DemonstratorExpertOptions): Expert {
  const { demonstrator, knows = () => true, otherwise, slips = 0, name, skill, description, price } = options;
  return {
    name,
    model: demonstrator.id,
    skill,
    description,
    price,
    advise: async ({ task, past, rng }) => {
      const able = knows(task) && rng.split("slip").float() >= slips;
      const acting = able ? demonstrator : otherwise;
      // The last moment's own draws: an expert that guesses must not guess the same at every step.
      const action = acting === undefined ? undefined : await advice(acting, task, past, rng.split("guess"));
      return action === undefined ? { text: "I do not know." } : { text: action, action };
    },
  };
}
