/** A small world for the study of skills: things to be mended, each with one right tool that only trying can tell. */
import { createRng, type Env, type Episode, scored, type Task } from "limbeck";
import { shuffle } from "../../packages/base/src/base/rng.ts";
import { episodeClosed, episodeEnded } from "limbeck/env";

export const TOOLS = ["hammer", "saw", "brush", "glue"] as const;
const SYLLABLES = ["ba", "ko", "mi", "tu", "re", "lo", "sa", "ni", "fe", "du", "wo", "pi"] as const;

/** 132 words of two different syllables. */
const THINGS = SYLLABLES.flatMap((one) => SYLLABLES.flatMap((other) => (one === other ? [] : [`${one}${other}`])));

/** `seed` decides which tool mends what, so that nothing can be known beforehand. */
export function createWorkshop(things: number, seed: number): Env {
  // Every tool mends as many things as any other: always taking the same one is worth no more than guessing.
  const order = shuffle(THINGS.slice(0, things), createRng(`workshop ${seed}`));
  const right = new Map(order.map((thing, at) => [thing, TOOLS[at % TOOLS.length] as string]));
  return {
    id: "workshop",
    summary: "Mend a thing with the right tool.",
    maxSteps: 1,
    splits: { train: Number.POSITIVE_INFINITY, test: Number.POSITIVE_INFINITY },
    tasks: function* (split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) {
      for (let index = offset; index < offset + count; index += 1) {
        const rng = createRng(`${split} ${index}`);
        const thing = THINGS[rng.int(things)] as string;
        yield { id: `workshop-${split}-${index}`, env: "workshop", seed: index, goal: thing, split };
      }
    },
    open: async (task) => mending(task, right.get(task.goal) ?? "", undefined),
  };
}

function mending(task: Task, tool: string, used: string | undefined): Episode {
  let [chosen, closed] = [used, false];
  const solved = (): boolean | null => (chosen === undefined ? null : chosen === `use ${tool}`);
  const observation = (): string =>
    chosen === undefined ? `Task: mend the ${task.goal}` : solved() === true ? "It is mended." : "It is still broken.";
  return {
    task,
    get observation() {
      return observation();
    },
    get stateKey() {
      return `${task.goal} ${chosen ?? ""}`;
    },
    get ending() {
      return chosen === undefined ? undefined : "terminated";
    },
    get reward() {
      return scored(solved() === true ? 1 : 0);
    },
    get success() {
      return solved();
    },
    admissible: () => (chosen === undefined ? TOOLS.map((name) => `use ${name}`) : []),
    step: async (action) => {
      if (closed) throw episodeClosed(task);
      if (chosen !== undefined) throw episodeEnded(task, "terminated");
      const valid = TOOLS.some((name) => action === `use ${name}`);
      // One try only: whatever is done, the day is over.
      chosen = action;
      return {
        observation: observation(),
        reward: scored(solved() === true ? 1 : 0),
        valid,
        ending: "terminated",
        success: solved(),
      };
    },
    fork: async () => mending(task, tool, chosen),
    close: async () => {
      closed = true;
    },
  };
}
