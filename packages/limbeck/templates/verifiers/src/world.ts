/**
 * The world: a verifiers environment in Python, behind limbeck's bridge. docs/learn/python-worlds.md of limbeck says what each
 * option does.
 */
import { fileURLToPath } from "node:url";
import { openEnv, option, defineWorld } from "limbeck";
import type { Demonstrator } from "limbeck/env";

/** Shows how a task is done, from what it has seen alone. Leave it out where nobody can. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Adds.",
  start: () => ({
    next: ({ observation }) => {
      const [, left, right] = /What is (\d+) \+ (\d+)/.exec(observation) ?? [];
      return String(Number(left) + Number(right));
    },
  }),
};

export default defineWorld({
  id: "my-verifiers",
  info: { title: "My verifiers environment", meaning: "Answers sums, with a second chance." },
  options: {
    module: option.text(
      fileURLToPath(new URL("../environment.py", import.meta.url)),
      "module with load_environment(): a file, or a name that Python can import",
    ),
    python: option.text("python3", "the Python to start"),
  },
  // Code that a stored run names is loaded only with your word.
  programs: ["module", "python"],
  create: async ({ module, python }) => await openEnv("python", { module, python, maxSteps: 4, successAt: 0.5 }),
  demonstrators: { expert },
});
