/** `limbeck skills select` and `report`: what goes into a prompt, and how it went. */
import { usageError } from "limbeck-base/base/errors";
import { input } from "limbeck-base/base/input";
import { defineOperation } from "limbeck-base/base/operation";
import { handInputs, libraryInputs, skillEvents } from "./skills.inputs.ts";

/**
 * Which skills of a library fit a goal, and what goes into the prompt, to the letter.
 *
 * @example
 * const { choice } = await selectSkills({ goal: "find a cup", library: "no-such-folder" });
 * console.log(choice.skills); // []
 */
export const selectSkills = defineOperation({
  name: "skills select",
  group: "learn",
  summary: "which skills fit a goal, and what goes into the prompt",
  examples: [],
  input: {
    ...libraryInputs,
    goal: input.text("TEXT", "select: what is to be done"),
    state: input.text("TEXT", "select: what the agent sees"),
    budget: input.count("TOKENS", "select: tokens of all chosen texts. Default: 400"),
  },
  events: {
    choice: {
      text: "what goes into the prompt",
      skills: "the chosen ones",
      candidates: "all that were weighed",
      tokens: "tokens of the chosen texts",
    },
  },
  run: async ({ goal, state, budget: budgetTokens, ...given }, context) => {
    if (goal === undefined || goal.trim() === "") throw usageError('"limbeck skills select" needs --goal TEXT.');
    const { withoutUndefined } = await import("limbeck-base/base/fields");
    const { givenLibrary } = await import("./library/given-library.ts");
    const { skillsForPrompt } = await import("./selection/for-prompt.ts");
    const asked = { goal, ...withoutUndefined({ state, budgetTokens }) };
    const found = await skillsForPrompt(givenLibrary(given, context), asked);
    context.emit({ event: "choice", text: found.text, ...found.choice });
    return found;
  },
});

/**
 * Says how an episode with skills, or without those that fitted, went.
 *
 * @example
 * await reportSkills({ names: ["look-first"] }).catch((error: Error) => console.log(error.message)); // --outcome must be success or failure.
 */
export const reportSkills = defineOperation({
  name: "skills report",
  group: "learn",
  summary: "say how an episode with a skill went",
  examples: [],
  input: {
    names: handInputs.names,
    library: handInputs.library,
    by: handInputs.by,
    outcome: input.choice("WHAT", "report: success or failure", ["success", "failure"]),
    without: input.flag("report: the skill fitted, and the episode went without it"),
    trajectory: input.text("ID", "report: the episode"),
  },
  events: skillEvents,
  run: async ({ names, outcome, without, trajectory, ...given }, context) => {
    const { givenAct, givenLibrary } = await import("./library/given-library.ts");
    if (outcome === undefined) throw usageError("--outcome must be success or failure.");
    const library = givenLibrary(given, context);
    for (const name of names) {
      await library.report(name, {
        at: new Date().toISOString(),
        offered: !without,
        success: outcome === "success",
        by: givenAct(given, context).by,
        ...(trajectory === undefined ? {} : { trajectory }),
      });
      const { status, statistics } = await library.read(name);
      context.emit({ event: "skill", name, status, statistics });
    }
    await library.list();
  },
});
