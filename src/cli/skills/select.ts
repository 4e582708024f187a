/** `limbeck skills select`: what would go into a prompt. */
import { withoutUndefined } from "../../base/index.ts";
import { skillsForPrompt } from "../../skill/selection/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { maybeCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { givenLibrary } from "./open-given.ts";

export async function runSelect(invocation: Invocation): Promise<number> {
  const goal = invocation.text("goal");
  if (goal === undefined || goal.trim() === "") throw usageError('"limbeck skills select" needs --goal TEXT.');
  const state = invocation.text("state");
  const { text, choice } = await skillsForPrompt(givenLibrary(invocation), {
    goal,
    ...withoutUndefined({ state, budgetTokens: maybeCount(invocation, "budget") }),
  });
  if (invocation.json) invocation.printJson({ event: "choice", text, ...choice });
  else if (choice.skills.length === 0) invocation.print("No skill in use fits.");
  else for (const line of text.split("\n")) invocation.print(cleanLine(line));
  return EXIT.done;
}
