/** Who plays ahead of a training, if anybody does. */
import { EngineError } from "../base/index.ts";
import { assignmentOf, play } from "../update/collect.ts";
import type { Strategy } from "../walk/index.ts";
import { createSupply, type Away, type Supply } from "./asynchronous.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { OpenedModel, WeightsThere } from "./opened-model.ts";
import type { TrainingPlan } from "./options.ts";
import type { Dialect } from "../policy/index.ts";
import type { HeldPolicy } from "../policy/tinker/tinker-policy.ts";
import { agentFor, tellingSkills } from "../update/agent.ts";
import { cut } from "../update/context.ts";

interface SupplyPlace {
  readonly opened: OpenedModel;
  readonly strategy: Strategy;
  readonly progress: TrainProgress;
  readonly run: string;
}

export async function supplyOf(plan: TrainingPlan, place: SupplyPlace): Promise<Supply | undefined> {
  const { away, updates, now, signal } = plan;
  const { opened, strategy, progress } = place;
  if (away === undefined) return undefined;
  if (plan.recipe.world !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the recipe ${plan.names.recipe} plays in a world of its own, which the others do not have. Leave the flag out.`,
    );
  }
  if (strategy.save !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the strategy ${plan.names.strategy} remembers earlier updates, which are not over yet. Choose another --strategy.`,
    );
  }
  const { model } = opened;
  const onNotice = (message: string): void => plan.onEvent({ kind: "notice", update: progress.update, message });
  return createSupply({
    away: await awayFor(plan, place, onNotice),
    lag: away.lag,
    from: progress.update,
    updates,
    assign: (update, skills) => assignmentOf(plan, update, skills),
    version: () => model.ref.version ?? 0,
    skills: progress.skills ?? {},
    now,
    signal,
  });
}

async function awayFor(
  plan: TrainingPlan,
  { opened, strategy, run }: SupplyPlace,
  onNotice: (message: string) => void,
): Promise<Away> {
  const { model, settings, names, away } = plan;
  const { share, dialect } = opened;
  if (away?.open !== undefined) {
    const { rewards, seed } = plan;
    const place = { run, onNotice, model, strategy: names.strategy, settings, seed, rewards: rewards?.stored };
    return await away.open(share, place);
  }
  return openActingBeside({ ...plan, share: share as WeightsThere, strategy, dialect });
}

// Plays ahead in this process where a trainer has the weights: it samples with those of an earlier update while the next one
// is learned, so that it works while the worlds here think, and the other way round.

interface ActingBeside extends Pick<
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

function openActingBeside(options: ActingBeside): Away {
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
