/** What came of a rollout, and whether it has seen enough. */
import type { EngineError } from "limbeck-base/base/errors";
import type { KeptEpisodes } from "limbeck-core/walk/line/strategy";
import { episodesLost, isEnough } from "limbeck-base/trajectory/tally";
import type { RolloutContext, RolloutOutcome } from "./rollout.inputs.ts";
import type { RunEnd } from "limbeck-store/store/with-run";

const NOTHING_KEPT: KeptEpisodes = { groups: 0, tokens: 0 };

/** A rollout that lost more than half of its episodes has failed, though what is left is stored. */
export function tooFew({ progress, trajectories, losses = { causes: {} } }: RolloutOutcome): EngineError | undefined {
  const lost = progress?.failed ?? 0;
  const counts = { ...losses, seen: trajectories - lost, lost };
  if (lost === 0 || isEnough(counts)) return undefined;
  const wayOut = "What was seen is stored. Mend the cause and roll out again.";
  return episodesLost("The rollout has too few episodes", counts, wayOut);
}

/** The last event. */
export function reportRollout(
  { emit, show }: Pick<RolloutContext, "emit" | "show">,
  outcome: RolloutOutcome,
  end: RunEnd,
  more: object = {},
): void {
  const { progress, trajectories, steps, losses, kept = NOTHING_KEPT, metrics = {} } = outcome;
  const { succeeded = 0, failed = 0, spent = {} } = progress ?? {};
  const { run, fault, durationMs } = end;
  const causes = losses?.causes ?? {};
  const counts = { trajectories, steps, succeeded, failed, causes, spent, kept, metrics };
  emit({ event: "end", run, ...counts, complete: fault === undefined, durationMs, ...more });
  show.end(outcome, end);
}
