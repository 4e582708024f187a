/** Python: worlds written in Python, Gymnasium's and those of verifiers, through a bridge that needs no package. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { defineWorld, nonNull } from "limbeck-core/env/world";
import { createPythonWorld } from "./python-world.ts";

const count = { least: 1, whole: true } as const;

export const python = defineWorld({
  id: "python",
  info: { title: "Python", meaning: "A world written in Python: reset and step, or a verifiers environment." },
  options: {
    module: option.text(null, "the world's module: a name that Python can import, or the path of a file"),
    entry: option.text(null, "what makes it; none: make, make_env, load_environment, Env or World, whichever is there"),
    arguments: { kind: "map", of: { kind: "json" }, default: {}, meaning: "named arguments for the maker" },
    python: option.text("python3", "the Python to start"),
    goal: option.text(null, "what is asked; none: to do what the text asks for"),
    tasks: option.limit(null, "tasks of each split, where the world lists none; none: without end", count),
    maxSteps: option.number(100, "steps until an episode is cut off", { ...count, most: 1_000_000 }),
    successAt: option.limit(null, "reward from which an ended episode is a success, where the world does not say"),
    replayable: option.flag(true, "whether the same seed and actions give the same answers; then episodes can fork"),
    timeoutMs: option.number(60_000, "time for one answer", count),
  },
  programs: ["module", "python"],
  create: async ({ module, arguments: args, ...rest }) => {
    if (module === null) {
      throw new EngineError("bad-options", "The world python needs a module: module=NAME or module=./world.py.");
    }
    return await createPythonWorld({ module, arguments: args, ...nonNull(rest) });
  },
});
