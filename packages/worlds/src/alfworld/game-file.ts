/** The game file as it lies on disk: JSON with the rules, the situation and the texts. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";

const GameFileSchema = z.object({
  /** PDDL domain: types, predicates, actions. */
  pddl_domain: z.string(),
  /** PDDL problem: things, initial facts, goal. */
  pddl_problem: z.string(),
  /** Text grammar: commands and replies. */
  grammar: z.string(),
  solvable: z.boolean().optional(),
  /** Commands that win. */
  walkthrough: z.array(z.string()).nullish(),
});

export type GameFile = z.infer<typeof GameFileSchema>;

/** `name` says in errors which file it was. */
export function parseGameFile(text: string, name = "game"): GameFile {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new EngineError("bad-game", `Bad game file "${name}": it is not JSON.`, { cause, details: { file: name } });
  }
  const parsed = GameFileSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const parts = parsed.error.issues.map(({ path, message }) => `"${path.join(".")}" (${message})`).join(", ");
  throw new EngineError("bad-game", `Bad game file "${name}": wrong or missing ${parts}.`, { details: { file: name } });
}
