/** Whether the strategy of a run did anything: its own number over all updates, and a line at the end where it is 0. */
import { STRATEGY_METRIC } from "../rollout/effect.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { UpdateEvent } from "./events.ts";
import type { Training } from "./training.ts";

/** The strategy's number in one update. */
export function effectOf({ strategy: { effect } }: Training, { metrics }: Pick<UpdateEvent, "metrics">): number {
  return effect === undefined ? 0 : (metrics[STRATEGY_METRIC + effect.name] ?? 0);
}

/** Told and stored where every update had none. */
export async function sayEffect(training: Training, { update, effect: total = 0 }: TrainProgress): Promise<void> {
  const { strategy, strategyName, collecting, recipe, writer, onEvent } = training;
  const { effect } = strategy;
  const isPlayed = collecting === undefined && recipe.playsItself !== true;
  if (effect === undefined || !isPlayed || update === 0 || total > 0) return;
  const message = `The strategy ${strategyName} had no effect in this run: ${effect.counts}, ${STRATEGY_METRIC}${effect.name}, stayed 0 over ${update} updates. ${effect.remedy}`;
  onEvent({ kind: "notice", update, message });
  await writer.addEvent("notice", { update, message });
}
