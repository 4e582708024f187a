/** The program of `rollout/scripted-1000`: the same episodes in a bare loop and in the engine's, in turns. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import { household } from "../../packages/worlds/src/household/index.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { seconds } from "./harness.ts";

const EPISODES = 1_000;
const ROUNDS = 6;

/** What the world and the script cost by themselves. */
async function bareEpisodes(env: Env, demonstrator: Demonstrator, tasks: readonly Task[]): Promise<number> {
  let steps = 0;
  const walk = async (task: Task): Promise<void> => {
    const episode = await env.open(task);
    const demonstration = demonstrator.start(task, createRng(task.id));
    let action: string | undefined;
    while (episode.ending === undefined) {
      // A state's key is part of every step that is kept.
      if (episode.stateKey === "") return;
      // The expert checks what it means to do against the list of actions, here as in the loop.
      action = demonstration.next({ action, observation: episode.observation, admissible: episode.admissible() });
      await episode.step(action);
      steps += 1;
    }
    await episode.close();
  };
  await Promise.all(tasks.map(walk));
  return steps;
}

const env = await household.create({ dial: "tiny" });
const expert = household.demonstrators?.["expert"];
if (expert === undefined) throw new Error("household has no expert");
const tasks: Task[] = [];
for await (const task of env.tasks("train", { count: EPISODES })) tasks.push(task);
const agent = createDemonstratorAgent(expert);
const strategy = createStrategy("group", { size: 1 });
let [steps, alone, looped] = [0, Infinity, Infinity];
// The shortest of each: what else the machine does only ever adds.
for (let round = 0; round < ROUNDS; round += 1) {
  alone = Math.min(alone, await seconds(async () => (steps = await bareEpisodes(env, expert, tasks))));
  looped = Math.min(
    looped,
    await seconds(() => rollOut({ env, agent, strategy, tasks, seed: 1, concurrency: EPISODES })),
  );
}
process.stdout.write(JSON.stringify({ steps, alone, looped }));
