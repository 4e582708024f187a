/** What a row must be before it enters the buffer; a buffer that cannot be written would hold up everything in it. */
import { EngineError } from "limbeck-base/base/errors";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";

interface Range {
  readonly least: number;
  readonly most: number;
}

const SAFE: Range = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };
/** A column of 32 bits has one more number below zero than above it. */
const INT32: Range = { least: -2_147_483_648, most: 2_147_483_647 };

/** Everything that can be checked of one trajectory alone; its parent may be stored elsewhere. */
export function checkTrajectory(trajectory: Trajectory): void {
  const faults = validateForest([trajectory]).filter(({ code }) => code !== "parent-missing");
  const first = faults[0];
  if (first !== undefined) {
    const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
    throw new EngineError("bad-trajectory", `${first.message}${more} It was not stored.`, {
      details: { trajectory: trajectory.id, faults },
    });
  }
  const whole = (value: number | undefined, what: string, { least, most } = SAFE): void => {
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
    throw new EngineError(
      "bad-trajectory",
      `Trajectory "${trajectory.id}": ${what} is ${value}; it must be a whole number from ${least} to ${most}. It was not stored.`,
      { details: { trajectory: trajectory.id } },
    );
  };
  whole(trajectory.task.seed, "the seed of its task");
  whole(trajectory.policy.version, "the version of its policy", INT32);
  whole(trajectory.parent?.step, "the step of its parent");
  whole(trajectory.parent?.token, "the token of its parent");
  whole(trajectory.usage?.promptTokens, "promptTokens");
  whole(trajectory.usage?.completionTokens, "completionTokens");
  for (const step of trajectory.steps) {
    whole(step.index, "the index of a step", INT32);
    whole(step.usage?.promptTokens, "promptTokens of a step");
    whole(step.usage?.completionTokens, "completionTokens of a step");
  }
  for (const reward of trajectory.rewards) checkReward(trajectory.id, reward);
}

export function checkReward(trajectory: string, reward: Reward): void {
  for (const value of [reward.step, reward.tokens?.start, reward.tokens?.end]) {
    if (value === undefined || Number.isSafeInteger(value)) continue;
    throw new EngineError(
      "bad-reward",
      `Reward "${reward.name}" of trajectory "${trajectory}" names position ${value}; positions are whole numbers.`,
    );
  }
}

/** A field of every line of `metrics.jsonl`; a metric of that name would take its place. */
export function isLineField(name: string): boolean {
  return name === "step" || name === "time";
}

export function checkMetrics(values: Readonly<Record<string, number>>): void {
  const taken = Object.keys(values).find(isLineField);
  if (taken === undefined) return;
  throw new EngineError(
    "bad-metric",
    `A metric may not be called "${taken}": every line of metrics.jsonl has a field of that name. Give it another, such as "own/${taken}".`,
    { details: { metric: taken } },
  );
}
