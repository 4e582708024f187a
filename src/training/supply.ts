/** Who plays ahead of a training, if anybody does. */
import { EngineError } from "../base/index.ts";
import { assignmentOf } from "../update/collect.ts";
import type { Strategy } from "../walk/index.ts";
import { openActingBeside } from "./acting-beside.ts";
import { createSupply, type Away, type Supply } from "./asynchronous.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { OpenedModel, WeightsThere } from "./opened-model.ts";
import type { TrainingPlan } from "./options.ts";

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
