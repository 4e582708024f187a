/** `limbeck envs`: the environments, their splits and sizes. */
import { input } from "limbeck-base/base/input";
import { defineOperation } from "limbeck-base/base/operation";
import type { DescribedWorld } from "./describe-worlds.ts";

export const listEnvs = defineOperation({
  name: "envs",
  group: "start",
  summary: "List environments, their splits and sizes",
  usage: "[ID [--set NAME=VALUE …]]",
  description: "With an id, one environment in full: its options, and its sizes with the options given.",
  input: {
    id: input.text("ID", "One environment in full", { at: 0 }),
    options: input.values(
      "NAME=VALUE",
      "An option of the environment; numbers, true, false and JSON are read as such",
      { flag: "set" },
    ),
  },
  examples: ["limbeck envs", "limbeck envs household", "limbeck envs alfworld --set root=games"],
  line: {
    id: "id of the environment",
    summary: "what it is",
    splits: "tasks in each split, null for one without end; null where options are needed first",
    maxSteps: "steps after which an episode is cut",
    options: "the options it takes",
    demonstrators: "scripted agents it comes with",
    parts: "what it judges apart, by name, for the reward world-part",
    generates: "whether limbeck generate can make task files for it",
    needs: "what it needs before it can say more",
  },
  shows: undefined as { all(worlds: readonly DescribedWorld[]): void; one(world: DescribedWorld): void } | undefined,
  run: async ({ id, options }, { emit, show }) => {
    const worlds = await (await import("./describe-worlds.ts")).describeWorlds(id, options, emit);
    if (id === undefined) show.all(worlds);
    else for (const world of worlds) show.one(world);
    return worlds;
  },
});
