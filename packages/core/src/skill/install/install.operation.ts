/** `limbeck skills install` and `uninstall`: a diff first, then a question, then files where an agent looks. */
import { defineOperation } from "limbeck-base/base/operation";
import { installEvents, installInputs, uninstallInputs } from "../skills.inputs.ts";

/**
 * Proven skills into the files that a coding agent reads.
 *
 * @example
 * console.log(await installSkills({ agent: "codex", library: "no-such-folder" })); // none
 */
export const installSkills = defineOperation({
  name: "skills install",
  group: "learn",
  summary: "proven skills into the files that a coding agent reads; shows a diff and asks",
  examples: [],
  input: installInputs,
  events: installEvents,
  run: async (given, context) => await (await import("./carry-out.ts")).install(given, context),
});

/**
 * Takes back what was installed, to the letter.
 *
 * @example
 * console.log(await uninstallSkills({ library: "no-such-folder" })); // nothing to do
 */
export const uninstallSkills = defineOperation({
  name: "skills uninstall",
  group: "learn",
  summary: "takes that back, to the letter",
  examples: [],
  input: uninstallInputs,
  events: installEvents,
  run: async (given, context) => await (await import("./carry-out.ts")).uninstall(given, context),
});
