/** Sessions without a recorded end, with the outcome that they show: their last test run, a commit that stayed. */
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { addSteps, sessionFacts, type SessionFacts } from "./session-facts.ts";
import { judgeSessions, type Evidence, type Judged } from "./summary.ts";

export interface WithOutcomes {
  readonly trajectories: readonly Trajectory[];
  /** Outcomes that were read from the session itself, by id. */
  readonly judged: ReadonlyMap<string, Judged>;
}

/** A known outcome stays; what nothing shows stays open. */
export function withShownOutcomes(trajectories: readonly Trajectory[], wanted: readonly Evidence[]): WithOutcomes {
  const facts = new Map<string, SessionFacts>();
  for (const trajectory of trajectories) {
    // A session that went on after it was stored: the same one, later steps.
    const root = facts.get(trajectory.id.replace(/~\d+$/, ""));
    if (root !== undefined && trajectory.parent !== undefined) addSteps(root, trajectory);
    else facts.set(trajectory.id, sessionFacts(trajectory, ""));
  }
  const judged = judgeSessions([...facts.values()], wanted);
  return {
    judged,
    trajectories: trajectories.map((trajectory) => {
      const shown = judged.get(trajectory.id);
      if (trajectory.success !== null || trajectory.reward.kind !== "unscored" || shown === undefined)
        return trajectory;
      return { ...trajectory, success: shown.success, reward: scored(shown.success ? 1 : 0) };
    }),
  };
}
