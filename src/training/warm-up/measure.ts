/** How a model does on tasks it has not learnt from: alone, with right advice, with wrong advice. */
import { createRng } from "../../base/index.ts";
import type { Env } from "../../env/index.ts";
import { evaluateAgent, type Evaluation } from "../../eval/index.ts";
import type { Dialect, Policy } from "../../policy/index.ts";
import { workflowText } from "../../skill/index.ts";
import { skillOpening } from "../../skill/injection.ts";
import type { Task } from "../../trajectory/index.ts";
import { injectionOf } from "../../update/agent.ts";
import { appendOnly, createTokenAgent, withOpening } from "../../walk/index.ts";
import type { Measured } from "./card.ts";
import { planOf, type Shown } from "./lesson.ts";
import { otherPlan } from "./lessons.ts";
import type { Emit } from "./options.ts";

export interface Player {
  readonly env: Env;
  readonly model: Policy;
  readonly dialect: Dialect;
  readonly answerTokens: number;
  readonly seed: number;
  readonly onEvent: Emit;
  readonly signal: AbortSignal;
}

/** As a training evaluates. */
const TEMPERATURE = 0.4;

interface Condition {
  readonly label: string;
  readonly temperature?: number;
  /** Advice by the id of a task. */
  readonly advice?: ReadonlyMap<string, string>;
}

export async function play(player: Player, tasks: readonly Task[], condition: Condition): Promise<Evaluation> {
  const { env, model, dialect, answerTokens, seed, signal, onEvent } = player;
  const { label, temperature = TEMPERATURE, advice } = condition;
  const prompting =
    advice === undefined
      ? appendOnly
      : withOpening(
          appendOnly,
          skillOpening(({ id }) => advice.get(id), injectionOf({})),
        );
  const { evaluation } = await evaluateAgent({
    env,
    agent: createTokenAgent({ policy: model, dialect, temperature, answerTokens, prompting }),
    tasks,
    seed,
    signal,
    onProgress: (done, total) => onEvent({ kind: "progress", label, done, total }),
  });
  return evaluation;
}

export async function measure(player: Player, tasks: readonly Task[], known: readonly Shown[]): Promise<Measured> {
  const none = await play(player, tasks, { label: "Without advice" });
  const sampled = await play(player, tasks, { label: "Without advice, temperature 1", temperature: 1 });
  if (known.length === 0) return { none, sampled };
  const rng = createRng(player.seed).split("wrong advice");
  const advised = async (
    label: string,
    planFor: (one: Shown) => readonly string[] | undefined,
  ): Promise<Evaluation> => {
    const plans = known.flatMap((one) => {
      const plan = planFor(one);
      return plan === undefined ? [] : [[one.task, workflowText(plan)] as const];
    });
    const advice = new Map(plans.map(([{ id }, text]) => [id, text]));
    return await play(
      player,
      plans.map(([task]) => task),
      { label, advice },
    );
  };
  const right = await advised("With right advice", planOf);
  const wrong = await advised("With wrong advice", (one) => otherPlan(one, known, rng));
  return { none, sampled, right, wrong };
}
