/** Trajectories as a credit batch. What was not scored, or a strategy leaves out, is named and never given a 0. */
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { CreditBatch, CreditRow } from "./credit.ts";
import type { Outcome, RowSignals } from "./row.ts";

export interface TrajectoryBatch extends CreditBatch {
  /** The step of each row. */
  readonly steps: readonly Step[];
  readonly leftOut: readonly { readonly trajectory: string; readonly why: string }[];
}

/**
 * One row a step. Rows are compared within the trajectories' group; old log-probabilities are those of the streams.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 2 });
 * console.log(batchFromTrajectories(trajectories).rows.length); // 2
 */
export function batchFromTrajectories(trajectories: readonly Trajectory[]): TrajectoryBatch {
  const reasons = reasonsToLeaveOut(trajectories);
  const rows: CreditRow[] = [];
  const steps: Step[] = [];
  const outcomes = new Map<string, Outcome>();
  for (const trajectory of trajectories) {
    if (reasons.has(trajectory.id) || trajectory.reward.kind === "unscored") continue;
    outcomes.set(trajectory.id, { outcome: trajectory.reward.value, success: trajectory.success });
    for (const step of trajectory.steps) {
      rows.push(rowOf(trajectory, step));
      steps.push(step);
    }
  }
  return {
    rows,
    trajectories: outcomes,
    steps,
    leftOut: [...reasons].map(([trajectory, why]) => ({ trajectory, why })),
  };
}

/** A branch needs the history of its parent, so it goes where its parent goes. */
function reasonsToLeaveOut(trajectories: readonly Trajectory[]): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const { id, reward, info } of trajectories) {
    const left = info?.["leftOut"];
    if (reward.kind === "unscored") reasons.set(id, reward.why);
    else if (typeof left === "string") reasons.set(id, left);
  }
  for (let before = -1; before !== reasons.size;) {
    before = reasons.size;
    for (const { id, parent } of trajectories) {
      if (parent === undefined || reasons.has(id) || !reasons.has(parent.trajectory)) continue;
      reasons.set(id, `its parent "${parent.trajectory}" was left out`);
    }
  }
  return reasons;
}

function rowOf(trajectory: Trajectory, step: Step): CreditRow {
  const { span, reward } = step;
  const stream = span === undefined ? undefined : trajectory.streams[span.stream];
  const logprobs = stream?.logprobs?.subarray(span?.start, span?.end);
  const last = step === trajectory.steps.at(-1);
  return {
    task: trajectory.group,
    trajectory: trajectory.id,
    step: step.index,
    state: step.stateKey,
    valid: step.valid,
    mask: stream?.mask.slice(span?.start, span?.end) ?? new Uint8Array(),
    truncated: last && trajectory.ending === "truncated",
    ...(reward.kind === "scored" ? { reward: reward.value } : {}),
    ...(logprobs === undefined ? {} : { logprobs: { old: Float64Array.from(logprobs) } }),
    ...(trajectory.parent === undefined ? {} : { parent: trajectory.parent }),
    ...signalsOf(step, trajectory),
  };
}

/** What a step says by itself: the length of its prompt, the tools it called, and how much of it its parent holds. */
function signalsOf(
  { span, reply, index }: Step,
  { parent }: Pick<Trajectory, "parent">,
): { readonly signals?: RowSignals } {
  const calls = reply?.toolCalls?.map(({ name, arguments: given }) => ({
    name,
    arguments: typeof given === "string" ? null : given,
  }));
  const skipped = parent?.step === index ? (parent.token ?? 0) : 0;
  if (span === undefined && calls === undefined) return {};
  return {
    signals: {
      ...(span && { promptTokens: span.start }),
      ...(calls && { calls }),
      ...(skipped > 0 && { skippedTokens: skipped }),
    },
  };
}
