/** `limbeck skills lift`: proves skills on held-out tasks, promotes and retires by the result. */
import { defineOperation } from "limbeck-base/base/operation";
import { liftEvents, liftInputs } from "./lift.inputs.ts";

/**
 * Plays held-out tasks with a skill, without it and with a placebo, and decides by the result.
 *
 * @example
 * const lift = liftSkills({ library: "no-such-folder", env: "countdown", policy: "bundled" });
 * await lift.catch((error: Error) => console.log(error.message.slice(0, 21))); // Nothing was measured,
 */
export const liftSkills = defineOperation({
  name: "skills lift",
  group: "learn",
  summary: "prove skills on held-out tasks; promote and retire by the result",
  examples: [],
  input: liftInputs,
  events: liftEvents,
  run: async (given, context) => await (await import("./lift-skills.ts")).liftLibrary(given, context),
});
