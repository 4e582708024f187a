/** `limbeck envs`: the environments, their splits and sizes. */
import type { Command } from "../command.ts";
import { worldOption } from "../play/world-options.ts";

export const envs: Command = {
  group: "start",
  summary: "List environments, their splits and sizes",
  usage: "[ID [--set NAME=VALUE …]]",
  description: "With an id, one environment in full: its options, and its sizes with the options given.",
  arity: [0, 1],
  options: { set: worldOption.set },
  examples: ["limbeck envs", "limbeck envs household", "limbeck envs alfworld --set root=games"],
  jsonFields: {
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
  run: async (invocation) => (await import("../play/list-envs.ts")).listEnvs(invocation),
};
