/** The world of an arm: the plan's, with the arm's own options, and noise where it is asked for. */
import { getWorld, withNoisyObservations, type Demonstrator, type Env } from "../env/index.ts";
import { createDemonstratorAgent, createStrategy, rollOut } from "../rollout/index.ts";
import type { Task } from "../trajectory/index.ts";
import type { ArenaPlan, Arm } from "./plan.ts";

export interface ArmWorld {
  readonly env: Env;
  /** How it was asked for. */
  readonly name: string;
  /** What the world's own expert does in a task, where it has one; undefined where it failed. */
  readonly solve?: (task: Task, signal: AbortSignal) => Promise<readonly string[] | undefined>;
}

export async function openArmWorld(plan: ArenaPlan, arm: Arm): Promise<ArmWorld> {
  const options = arm.envOptions ?? plan.envOptions;
  const noise = arm.noise ?? plan.noise;
  const world = await getWorld(plan.env);
  const clean = await world.create(options);
  const env = noise === 0 ? clean : withNoisyObservations(clean, { share: noise, seed: "noise" });
  const name = `${plan.env} ${JSON.stringify(options)}${noise === 0 ? "" : `, noise ${noise}`}`;
  const [expert] = Object.values(world.demonstrators ?? {});
  return { env, name, ...(expert === undefined ? {} : { solve: solver(clean, expert) }) };
}

/** The expert plays in the clear world: noise is for those who learn. */
function solver(env: Env, expert: Demonstrator): NonNullable<ArmWorld["solve"]> {
  const agent = createDemonstratorAgent(expert);
  return async (task, signal) => {
    const strategy = createStrategy("group", { size: 1 });
    const { trajectories } = await rollOut({ env, agent, tasks: [task], strategy, seed: "expert", signal });
    const [played] = trajectories;
    return played?.success === true ? played.steps.map(({ action }) => action) : undefined;
  };
}
