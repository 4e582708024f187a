/** Several rewards one after the other; each sees what those before it gave, so that the last may add them up. */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp, unknownName } from "limbeck-base/base/registry";
import { withoutUndefined } from "limbeck-base/base/fields";
import { namesFile } from "limbeck-base/base/parts/part";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";
import { unscored } from "limbeck-base/trajectory/score";
import { countedName, countedRewards, type Counting } from "./counted.ts";
import { askRewards } from "./give-rewards.ts";
import { CALL_SECONDS, inTime } from "./in-time.ts";
import type { Givens, References, RewardMethod } from "./reward.ts";
import type { ScreenSettings } from "./screens/index.ts";
import { type Weight, weightAt } from "./weight.ts";

export interface PlannedReward extends Counting {
  /** The name of a registered reward, or a reward of your own. */
  readonly use: string | RewardMethod;
  /** What it is stored as. Default: its id. */
  readonly as?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Its weight in a sum, which is then the reward of the plan, or of steps where its level is finer than the episode: a
   * number, or numbers by update. Default: it is in none.
   */
  readonly weight?: Weight;
  /** Screens that look at this reward alone, with their options. Default: none; those of the plan look at what is trained on. */
  readonly screens?: ScreenSettings;
  /** Folder of a trained scorer (`limbeck reward train`), which trainings, evaluations and rollouts open for it. */
  readonly scorer?: string;
  /** Seconds that one call of a judge, a verifier or a scorer may take. Default: 300. */
  readonly seconds?: number;
  /** What it is given beyond what all are given. */
  readonly givens?: Givens;
}

export interface RewardPlan {
  readonly rewards: readonly PlannedReward[];
  /** The one that becomes the reward of trajectories, and the one that becomes that of steps. Default: untouched. */
  readonly reward?: string;
  readonly stepReward?: string;
  /** What a reward without a score does to a sum by weights. Default: "unscored". */
  readonly unscored?: "unscored" | "leave-out" | "rescale";
  /** Options of the screens of a training whose rewards these are; false leaves one out. Default: their own. */
  readonly screens?: ScreenSettings;
}

/** What a sum by weights is called, and one of rewards whose level is finer than the episode. */
const SUM = "components";
const STEP_SUM = "step-components";

/** Whether the weights are the same in every update. */
function isFixed({ rewards }: RewardPlan): boolean {
  return rewards.every(({ weight }) => weight === undefined || typeof weight === "number");
}

/** What the sums of the plan's weights are called and become, whatever the weights are. */
export function withSumNames(plan: RewardPlan): RewardPlan {
  const weighed = plan.rewards.filter(({ weight }) => weight !== undefined);
  const [whole, steps] = [weighed.filter(isWhole), weighed.filter((one) => !isWhole(one))];
  const reward = plan.reward ?? (whole.length === 0 ? undefined : SUM);
  const stepReward = plan.stepReward ?? (steps.length === 0 ? undefined : STEP_SUM);
  return isFixed(plan) ? withSum(plan) : { ...plan, ...withoutUndefined({ reward, stepReward }) };
}

function isWhole({ level = "episode" }: PlannedReward): boolean {
  return level === "episode";
}

/** The plan with the sums that its weights ask for at this update, as rewards of their own. Default: after the last. */
function withSum(plan: RewardPlan, update?: number): RewardPlan {
  const rewards: PlannedReward[] = plan.rewards.map(({ weight: _weight, ...rest }) => rest);
  let { reward, stepReward } = plan;
  for (const level of ["trajectory", "step"] as const) {
    const weights = weightsAt(
      plan.rewards.filter((one) => isWhole(one) === (level === "trajectory")),
      update,
    );
    if (Object.keys(weights).length === 0) continue;
    const missing = plan.unscored === undefined ? {} : { unscored: plan.unscored };
    if (level === "trajectory") {
      rewards.push({ use: SUM, options: { weights, ...missing } });
      reward ??= SUM;
    } else {
      rewards.push({ use: SUM, as: STEP_SUM, options: { weights, level, ...missing } });
      stepReward ??= STEP_SUM;
    }
  }
  if (rewards.length === plan.rewards.length) return plan;
  const { unscored: _unscored, ...rest } = plan;
  return { ...rest, rewards, ...withoutUndefined({ reward, stepReward }) };
}

/** By the name of what counts. What weighs nothing now is left out, so that it need not have a score yet. */
function weightsAt(rewards: readonly PlannedReward[], update: number | undefined): Record<string, number> {
  const all = rewards.flatMap((one) =>
    one.weight === undefined ? [] : [[countedName(plannedName(one), one), weightAt(one.weight, update)] as const],
  );
  const some = all.filter(([, weight]) => weight !== 0);
  return Object.fromEntries(some.length === 0 ? all : some);
}

/** What a plan can name as the one that is trained on: rewards, before their parts, and sums. */
export function knownNames({ rewards }: RewardPlan): string[] {
  const weighed = rewards.filter(({ weight }) => weight !== undefined);
  const sums = [...(weighed.some(isWhole) ? [SUM] : []), ...(weighed.every(isWhole) ? [] : [STEP_SUM])];
  return [...rewards.map(plannedName), ...sums];
}

/** What a planned reward is stored as. */
export function plannedName({ use, as }: PlannedReward): string {
  if (as !== undefined) return as;
  // A reward of a file is stored by the id that it says itself.
  if (typeof use === "string" && namesFile(use)) return lookUp<RewardMethod>({}, use, "reward").id;
  return typeof use === "string" ? use : use.id;
}

export interface Rewarded {
  readonly trajectories: readonly Trajectory[];
  /** Metrics by the name of the reward, each with `trajectories` and `unscored`. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** For the givens of the next batch, by the name of the reward that tightened them. */
  readonly references: Readonly<Record<string, References>>;
}

/** What all rewards of a plan are given. */
export interface PlanGivens extends Givens {
  /** For weights that change: the update of the training, from 1. Default: after the last change. */
  readonly update?: number;
  readonly referencesOf?: Readonly<Record<string, References>>;
}

/** References are kept apart by name: one reward may count rounds where another counts steps. */
export async function runPlan(
  trajectories: readonly Trajectory[],
  plan: RewardPlan,
  methods: Readonly<Record<string, RewardMethod>>,
  givens: PlanGivens,
): Promise<Rewarded> {
  const { referencesOf = {}, update, ...shared } = givens;
  const whole = withSum(plan, update);
  let current = trajectories;
  const metrics: Record<string, Readonly<Record<string, number>>> = {};
  const references: Record<string, References> = { ...referencesOf };
  for (const planned of whole.rewards) {
    const { use, as, options = {}, givens: own, seconds = CALL_SECONDS } = planned;
    const method = typeof use === "string" ? lookUp(methods, use, "reward") : use;
    const name = as ?? method.id;
    if (Object.hasOwn(metrics, name)) {
      throw new EngineError(
        "bad-options",
        `Two rewards of the plan are named "${name}"; give one another name with "as".`,
      );
    }
    const known = references[name] ?? shared.references;
    const all = { ...shared, ...(known === undefined ? {} : { references: known }), ...own };
    const given = await askRewards(method, current, { as: name, options, givens: inTime(all, seconds) });
    metrics[name] = given.metrics;
    if (given.references !== undefined) references[name] = given.references;
    current = withRewards(current, given.rewards);
    if (countedName(name, planned) !== name) current = withRewards(current, countedRewards(current, name, planned));
  }
  const { reward, stepReward } = whole;
  checkNames(current, whole);
  const none = current.map(() => []);
  return { trajectories: withRewards(current, none, withoutUndefined({ reward, stepReward })), metrics, references };
}

/** A slip in the name of the reward that is trained on would leave every trajectory without one. */
function checkNames(trajectories: readonly Trajectory[], { reward, stepReward }: RewardPlan): void {
  if (trajectories.length === 0) return;
  const all = trajectories.flatMap((trajectory) => trajectory.rewards);
  const known = (steps: boolean): string[] => [
    ...new Set(all.filter(({ step }) => (step !== undefined) === steps).map(({ name }) => name)),
  ];
  if (reward !== undefined && !known(false).includes(reward))
    throw unknownName(reward, known(false), "reward of the plan");
  // Trajectories may all be without steps; then there is no reward of any.
  const someSteps = trajectories.some(({ steps }) => steps.length > 0);
  if (stepReward !== undefined && someSteps && !known(true).includes(stepReward)) {
    throw unknownName(stepReward, known(true), "step reward of the plan");
  }
}

// Trajectories with new judgements: the list of rewards grows, and the named ones become the reward that is trained on.

interface WithRewardsOptions {
  /** The trajectory-level reward that becomes `reward`. Default: untouched. */
  readonly reward?: string;
  /** The step-level reward that becomes the reward of each step. Default: untouched. */
  readonly stepReward?: string;
}

/** New trajectories; those given stay as they are. What was given before under the same name by the same source is replaced. */
export function withRewards(
  trajectories: readonly Trajectory[],
  rewards: readonly (readonly Reward[])[],
  { reward, stepReward }: WithRewardsOptions = {},
): Trajectory[] {
  if (rewards.length !== trajectories.length) {
    const message = `There are ${rewards.length} lists of rewards for ${trajectories.length} trajectories; each needs one.`;
    throw new EngineError("rewards-misfit", message);
  }
  return trajectories.map((trajectory, at) => {
    const fresh = rewards[at] as readonly Reward[];
    const replaced = new Set(fresh.map(key));
    const all = [...trajectory.rewards.filter((old) => !replaced.has(key(old))), ...fresh];
    return {
      ...trajectory,
      rewards: all,
      ...(reward === undefined ? {} : { reward: outcome(all, reward) }),
      ...(stepReward === undefined ? {} : { steps: steps(trajectory, all, stepReward) }),
    };
  });
}

function key({ name, source }: Reward): string {
  return JSON.stringify([name, source]);
}

function outcome(rewards: readonly Reward[], name: string): Trajectory["reward"] {
  const found = rewards.findLast((reward) => reward.name === name && reward.step === undefined);
  return found?.score ?? unscored(`there is no reward "${name}"`);
}

function steps(trajectory: Trajectory, rewards: readonly Reward[], name: string): Trajectory["steps"] {
  const byStep = new Map<number, Reward>();
  for (const reward of rewards) {
    if (reward.name === name && reward.step !== undefined && reward.tokens === undefined)
      byStep.set(reward.step, reward);
  }
  return trajectory.steps.map((step) => ({
    ...step,
    reward: byStep.get(step.index)?.score ?? unscored(`there is no reward "${name}" of this step`),
  }));
}
