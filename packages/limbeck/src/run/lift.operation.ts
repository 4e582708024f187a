/** `limbeck lift`: proves skills on held-out tasks, promotes and retires by the result. */
import { defineOperation } from "limbeck-base/base/operation";
import { programInputs } from "limbeck-worlds/agent/program.inputs";
import { liftEvents, liftInputs } from "./lift.inputs.ts";
import { speechSections } from "./speech.inputs.ts";

/**
 * Plays held-out tasks with a skill, without it and with a placebo, and decides by the result.
 *
 * @example
 * const lift = liftSkills({ library: "no-such-folder", env: "countdown", policy: "bundled" });
 * await lift.catch((error: Error) => console.log(error.message.slice(0, 21))); // Nothing was measured,
 */
export const liftSkills = defineOperation({
  name: "lift",
  group: "learn",
  summary: "Prove skills on held-out tasks: helps, no difference or harms",
  usage: "[NAME…] (--env ID | --dataset FILE | --run ID) (--policy NAME|DIR | --agent COMMAND) [options]",
  description:
    "Plays held-out tasks with a skill, without it and with a placebo of the same length, in pairs, and stops as soon as it can tell. Skills that do better than both are promoted, harmful ones are retired, all results are kept with the skill. The rule holds at every look and over reruns: a run that adds tasks or trials goes on with the evidence of those before it. What a prompt gets is what limbeck skills select shows, to the letter.\n" +
    "What it will take is asked first where it costs money; --budget is never passed. Answers are kept in .lift of the library, so that a second run costs nothing and one that was stopped goes on.\n" +
    'What decides success: the line of the dataset ("answer", "pattern", "schema"), --check, --decide, or --judge, which counts only beside the verdicts of a person on at least 30 answers (--verdicts). --policy chat asks a bare model, without your agent\'s tools. --agent "COMMAND {prompt}" runs your own agent, with its tools and its model: the skill stands in {prompt} (or on standard input). With --policy too the proxy is its model and gives it the skill.\n' +
    "Exit code 4 when a skill that was in use harms, has no lift or was not measured, when one that was named was not measured, or, with --strict, when one could not be decided: a gate for continuous integration. Where no skill was measured at all, that is an error (exit code 3). measureLift in code does the same with any function (docs/lookup/skills.md).",
  examples: [
    "limbeck lift --env household --env-set dial=tiny --split valid --policy bundled --temperature 0.4",
    'limbeck lift --agent "node agent.mjs {prompt}" --dataset questions.jsonl --budget runs=600',
    "limbeck lift heat-food --dataset questions.jsonl --policy chat --trials 3 --yes --out lift.md --out lift.xml",
  ],
  input: liftInputs,
  sections: {
    "Usual options": ["dataset", "agent", "policy", "budget", "out"],
    "What is played": ["library", "env", "run", "tasks", "trials", "yes"],
    "What is right": ["check", "decide", "judge", "verdicts", "own-outcome"],
    "The test": ["worthwhile", "seed", "strict", "dry-run", "prices", "revision", "split", "offset"],
    "The agent's program": Object.keys(programInputs()).filter((name) => name !== "check"),
    ...speechSections,
  },
  events: liftEvents,
  run: async (given, context) => await (await import("./lift-skills.ts")).liftLibrary(given, context),
});
