/** Pairs as conversations, for trainers elsewhere: the shared prompt, and the two responses. */
import { createForest, episodeSteps, type Forest } from "limbeck-base/trajectory/forest";
import type { Message, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Pair, Side } from "./pair.ts";

export interface PairMessages {
  readonly pair: Pair;
  readonly prompt: readonly Message[];
  readonly chosen: readonly Message[];
  readonly rejected: readonly Message[];
}

/**
 * The prompt is the chosen side's past with the message it answered; where it had advice, the message without it. Sides
 * of more than one step include the observations in between.
 *
 * @example
 * import { findPairs } from "limbeck/update";
 * import { createScriptedPolicy } from "limbeck/policy";
 *
 * let said = 0;
 * const policy = createScriptedPolicy({ script: () => `<answer>${said++ === 0 ? "10 + 9 + 4" : "10 + 9 - 4"}</answer>` });
 * const { trajectories } = await rollout({ env: "countdown", policy, tasks: 1, group: 2 });
 * const [pair] = buildPairMessages(findPairs("episodes", trajectories), trajectories);
 * console.log(pair?.chosen); // [ { role: "assistant", content: "<answer>10 + 9 + 4</answer>" } ]
 */
export function buildPairMessages(
  pairs: readonly Pair[],
  trajectories: readonly Trajectory[],
  forest = createForest(trajectories),
): PairMessages[] {
  return pairs.map((pair) => {
    const [chosen, rejected] = [sideMessages(forest, pair.chosen), sideMessages(forest, pair.rejected)];
    return { pair, prompt: chosen.prompt, chosen: chosen.responses, rejected: rejected.responses };
  });
}

function sideMessages(
  forest: Forest,
  { trajectory, steps }: Side,
): { readonly prompt: readonly Message[]; readonly responses: readonly Message[] } {
  const [first = 0] = steps;
  const last = steps.at(-1) ?? first;
  const path = episodeSteps(forest, trajectory);
  const before = path.filter(({ index }) => index < first).flatMap((step) => [...readAt(step), saidAt(step)]);
  const own = path.filter(({ index }) => index >= first && index <= last);
  const [at, ...rest] = own;
  return {
    prompt: [...before, ...(at === undefined ? [] : readAt(at))],
    responses: [...(at === undefined ? [] : [saidAt(at)]), ...rest.flatMap((step) => [...readAt(step), saidAt(step)])],
  };
}

function readAt({ messages, basePrompt, prompt, observation }: Step): readonly Message[] {
  if (basePrompt !== undefined && basePrompt !== prompt) return [{ role: "user", content: basePrompt }];
  return messages ?? (observation === "" ? [] : [{ role: "user", content: prompt ?? observation }]);
}

function saidAt({ reply, action }: Step): Message {
  return reply ?? { role: "assistant", content: action };
}
