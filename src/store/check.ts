/** What a row must be before it enters the buffer; a buffer that cannot be written would hold up everything in it. */
import { EngineError } from "../base/errors.ts";
import { validateForest, type Reward, type Trajectory } from "../trajectory/index.ts";

const INT32_MAX = 2_147_483_647;

/** Everything that can be said of one trajectory alone; its parent may be stored elsewhere. */
export function checkTrajectory(trajectory: Trajectory): void {
  const faults = validateForest([trajectory]).filter(({ code }) => code !== "parent-missing");
  const first = faults[0];
  if (first !== undefined) {
    const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
    throw new EngineError("bad-trajectory", `${first.message}${more} It was not stored.`, {
      details: { trajectory: trajectory.id, faults },
    });
  }
  const whole = (value: number | undefined, what: string, max = Number.MAX_SAFE_INTEGER): void => {
    if (value === undefined || (Number.isInteger(value) && Math.abs(value) <= max)) return;
    throw new EngineError(
      "bad-trajectory",
      `Trajectory "${trajectory.id}": ${what} is ${value}; it must be a whole number of at most ${max}. It was not stored.`,
      { details: { trajectory: trajectory.id } },
    );
  };
  whole(trajectory.task.seed, "the seed of its task");
  whole(trajectory.policy.version, "the version of its policy", INT32_MAX);
  whole(trajectory.parent?.step, "the step of its parent");
  whole(trajectory.parent?.token, "the token of its parent");
  whole(trajectory.usage?.promptTokens, "promptTokens");
  whole(trajectory.usage?.completionTokens, "completionTokens");
  for (const step of trajectory.steps) {
    whole(step.index, "the index of a step", INT32_MAX);
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
