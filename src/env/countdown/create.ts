/** Builds the countdown environment from plain options, as a command line or a recipe file gives them. */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { World } from "../world.ts";
import { createCountdown, type CountdownOptions } from "./countdown.ts";
import { expert, guesser, hasty } from "./demonstrators.ts";
import { levels, type LevelId } from "./generate.ts";

const OptionsSchema = z.strictObject({
  seed: z.coerce.number().int().exactOptional(),
  level: z.enum(Object.keys(levels) as [LevelId, ...LevelId[]]).exactOptional(),
  use: z.enum(["each", "any"]).exactOptional(),
  partialCredit: z.union([z.boolean(), z.stringbool()]).exactOptional(),
});

export const countdown: World = {
  summary: "Reach a number with given numbers and + - * /, in one reply judged exactly.",
  options: {
    seed: "seed of the puzzles; 1",
    level: `difficulty: ${Object.keys(levels).join(", ")}; medium`,
    use: "each: every number exactly once (as in TinyZero); any: at most once; each",
    partialCredit: "true: readable answers and near misses earn up to half; false",
  },
  create: async (options = {}) => {
    const parsed = OptionsSchema.safeParse(options);
    if (!parsed.success) {
      throw new EngineError("bad-option", `The options of countdown cannot be used: ${z.prettifyError(parsed.error)}`);
    }
    return Promise.resolve(createCountdown(parsed.data satisfies CountdownOptions));
  },
  demonstrators: { expert, hasty, guesser },
};
