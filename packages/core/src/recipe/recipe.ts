/**
 * The contract of a recipe: one readable file that wires the rooms together and has no arithmetic of its own. It says
 * what one update is; collecting, scoring and learning are tools on its workbench, and the training around the updates
 * (validation, checkpoints, the store) is the same for every recipe.
 */
import type { MethodInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValue, OptionValues } from "limbeck-base/base/option-table";
import { awaitWork, callPart } from "limbeck-base/base/parts/contain";
import { madePart, type PartKind } from "limbeck-base/base/parts/part";
import type { Env } from "../env/env.ts";
import type { Writer } from "../skill/skill.ts";
import type { JsonObject } from "limbeck-base/trajectory/trajectory";
import type { UpdateContext } from "../update/context.ts";

/** A rollout strategy, with the options that go with it. */
export interface FittingStrategy {
  readonly name: string;
  /** Defaults of its options where they are not the strategy's own. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

export interface Recipe<Table extends OptionTable = OptionTable> {
  readonly info: Omit<MethodInfo, "formula">;
  /** Default: the credit method it uses, by name. */
  readonly credit: string;
  /** Defaults of the credit method's options where they are not that method's own. */
  readonly creditDefaults?: Readonly<Record<string, OptionValue>>;
  /** The rollout strategy it is made for, where the credit method's is not it. */
  readonly strategy?: FittingStrategy;
  /** Its own settings, beside the shared ones; a shared one may be given another default. */
  readonly settings: Table;
  /** Named sets of settings, `paper` for the published ones. `defineRecipe` fills it in. Default: none. */
  readonly presets: Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;
  /** Whether its updates play in a way of their own, which no strategy or search that is chosen takes the place of. */
  readonly playsItself?: boolean;
  /** Whether its updates need a demonstrator. Default: no. */
  demonstrated?(settings: Readonly<Record<string, OptionValue>>): boolean;
  /** The world as this recipe plays it, by what it has kept so far, and with who writes. Default: the environment itself. */
  world?(
    env: Env,
    settings: OptionValues<Table>,
    kept: JsonObject | null,
    phase: "training" | "evaluation",
    writer?: Writer,
  ): Env;
  /** One update: from fresh episodes to changed weights. */
  update(update: UpdateContext, settings: OptionValues<Table>): Promise<void>;
}

const RECIPE: PartKind<Recipe> = {
  kind: "recipe",
  maker: "defineRecipe",
  functions: ["update"],
  guard: (recipe, home) => ({
    ...recipe,
    ...(recipe.world === undefined
      ? {}
      : { world: (env, ...given) => callPart(home, "world", () => recipe.world?.(env, ...given) ?? env) }),
    update: async (update, settings) => await awaitWork(home, "update", () => recipe.update(update, settings)),
  }),
};

/**
 * Makes a recipe: what happens in one update, from fresh episodes to changed weights.
 *
 * @example
 * import { collect, credit as giveCredit, learn } from "limbeck/update";
 *
 * const plain = defineRecipe({
 *   info: { title: "Plain", meaning: "Plays, gives credit, learns.", paper: "Our own", confidence: "practice", departures: [] },
 *   credit: "grpo",
 *   settings: {},
 *   update: async (update) => {
 *     const { rows } = await giveCredit(update, await collect(update));
 *     await learn(update, rows, "clipped");
 *   },
 * });
 * const settings = { tasks: 1, group: 2, maxSteps: 2 };
 * const run = await train({ recipe: plain, steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings, keep: false });
 * console.log(run.reason); // finished
 */
export function defineRecipe<const Table extends OptionTable, const Method extends string>(
  recipe: Omit<Recipe<Table>, "presets"> & Partial<Pick<Recipe, "presets">> & { readonly credit: Method },
): Recipe<Table> & { readonly credit: Method } {
  const made: Recipe<Table> & { readonly credit: Method } = { presets: {}, ...recipe };
  madePart(made as unknown as Recipe, RECIPE);
  return made;
}
