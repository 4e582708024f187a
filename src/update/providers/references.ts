/** What is right in a task: how the world's demonstrator does it, on its own copy of the world. */
import { EngineError } from "../../base/index.ts";
import { needText, type Need } from "../../credit/index.ts";
import type { Demonstrator, Env } from "../../env/index.ts";
import { createDemonstratorAgent, createStrategy, rollOut } from "../../rollout/index.ts";
import type { Step, Task } from "../../trajectory/index.ts";
import type { Cost } from "./provider.ts";

export interface Reference {
  /** Its actions, in order. */
  readonly plan: readonly string[];
  /** The action that finished the task: the answer, in worlds of questions. */
  readonly answer: string;
  readonly steps: readonly Step[];
}

export interface ReferenceRequest {
  readonly env: Env;
  readonly demonstrator: Demonstrator | undefined;
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly spend: (cost: Partial<Cost>) => void;
}

/** Asks once for each task. */
export function createReferences(
  request: ReferenceRequest,
): (task: Task, need: Need) => Promise<Reference | undefined> {
  const known = new Map<string, Promise<Reference | undefined>>();
  return (task, need) => {
    const { demonstrator } = request;
    if (demonstrator === undefined) throw noDemonstrator(request.env, need);
    const found = known.get(task.id) ?? demonstrated(request, demonstrator, task);
    known.set(task.id, found);
    return found;
  };
}

export function noDemonstrator(env: Env, need: Need): EngineError {
  return new EngineError(
    "needs-unmet",
    `The world "${env.id}" has no demonstrator, so nobody can supply ${needText(need)}. Choose a world that has one (limbeck envs lists them), or another credit method.`,
    { details: { need, world: env.id } },
  );
}

async function demonstrated(
  { env, seed, signal, spend }: ReferenceRequest,
  demonstrator: Demonstrator,
  task: Task,
): Promise<Reference | undefined> {
  const { trajectories, spent } = await rollOut({
    env,
    agent: createDemonstratorAgent(demonstrator),
    strategy: createStrategy("group", { size: 1 }),
    tasks: [task],
    seed: `${seed} reference`,
    signal,
  });
  spend({ environmentSteps: spent.envSteps });
  const [episode] = trajectories;
  const answer = episode?.steps.at(-1)?.action;
  if (episode?.success !== true || answer === undefined) return undefined;
  return { plan: episode.steps.map(({ action }) => action), answer, steps: episode.steps };
}
