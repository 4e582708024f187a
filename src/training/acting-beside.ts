/**
 * Plays ahead in this process where a trainer has the weights: it samples with those of an earlier update while the next one
 * is learned, so that it works while the worlds here think, and the other way round.
 */
import type { Dialect } from "../policy/index.ts";
import type { HeldPolicy } from "../policy/tinker/tinker-policy.ts";
import type { Strategy } from "../walk/index.ts";
import { agentFor, tellingSkills } from "../update/agent.ts";
import { play } from "../update/collect.ts";
import { cut } from "../update/context.ts";
import type { Away } from "./asynchronous.ts";
import type { WeightsThere } from "./opened-model.ts";
import type { TrainingPlan } from "./options.ts";

export interface ActingBeside extends Pick<
  TrainingPlan,
  "env" | "demonstrator" | "settings" | "textWriter" | "outcomeScorer"
> {
  readonly share: WeightsThere;
  readonly strategy: Strategy;
  readonly dialect: Dialect;
}

interface Held {
  readonly policy: HeldPolicy;
  plays: number;
  isOld: boolean;
}

export function openActingBeside(options: ActingBeside): Away {
  const { share, demonstrator, settings, strategy, dialect, textWriter: writer, outcomeScorer } = options;
  const env = cut(options.env, settings.maxSteps);
  let present: Held | undefined;
  /** What nobody plays with any more is taken from the trainer. */
  const retire = async (held: Held | undefined): Promise<void> => {
    if (held?.isOld === true && held.plays === 0) await held.policy.close();
  };
  const renew = async (next: Held | undefined): Promise<void> => {
    const before = present;
    present = next;
    if (before !== undefined) before.isOld = true;
    await retire(before);
  };
  return {
    width: 1,
    renew: async () => {
      await renew({ policy: await share.hold(), plays: 0, isOld: false });
    },
    play: async ({ tasks, seed, prefix, skills }, signal) => {
      const held = present as Held;
      held.plays += 1;
      try {
        const agent = agentFor({ model: held.policy, dialect, settings }, { tell: tellingSkills(skills) });
        const peers = settings.group;
        const request = {
          env,
          demonstrator,
          writer,
          agent,
          strategy,
          tasks,
          seed,
          prefix,
          peers,
          signal,
          outcomeScorer,
        };
        return (await play(request)).trajectories;
      } finally {
        held.plays -= 1;
        await retire(held);
      }
    },
    close: () => renew(undefined),
  };
}
