/** One greedy episode of each task: the baseline of ReMax. */
import { createStrategy } from "../../rollout/registry.ts";
import { rollOut } from "../../walk/line/roll-out.ts";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { agentFor } from "../agent.ts";
import { defineProvider, seedOf, withRows } from "./provider.ts";

export const greedyRollout = defineProvider({
  info: {
    title: "Greedy rollout",
    meaning: "Plays each task once more, always with the most likely word, and takes the score for a baseline.",
    cost: "one more episode for each task",
    departures: ["The greedy episode is not trained on. One that was lost leaves a baseline of 0."],
  },
  supplies: ["greedyScore"],
  options: {},
  provide: async (batch, episodes, update) => {
    const tasks = new Map<string, Task>(episodes.map(({ task }) => [task.id, task]));
    const { trajectories } = await rollOut({
      env: update.env,
      agent: agentFor(update, { temperature: 0 }),
      strategy: createStrategy("group", { size: 1 }),
      tasks: [...tasks.values()],
      seed: `${seedOf(update)} greedy`,
      signal: update.signal,
    });
    // Compared with the update's episodes, which have been given other rewards than the world's.
    const rewarded = (await update.reward?.(trajectories, update)) ?? trajectories;
    const scores = new Map(rewarded.map(({ task, reward }) => [task.id, scoreValue(reward) ?? 0]));
    const taskOf = new Map(episodes.map(({ id, task }) => [id, task.id]));
    const provided = withRows(batch, (row) => ({
      ...row,
      greedyScore: scores.get(taskOf.get(row.trajectory) ?? "") ?? 0,
    }));
    return { batch: provided };
  },
});
