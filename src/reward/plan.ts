/** Several rewards one after the other; each sees what those before it gave, so that the last may add them up. */
import { EngineError, lookUp, unknownName } from "../base/index.ts";
import { namesFile } from "../base/parts/part.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { askRewards } from "./give-rewards.ts";
import type { Givens, References, RewardMethod } from "./reward.ts";
import type { ScreenSettings } from "./screens/index.ts";
import { withRewards } from "./with-rewards.ts";

export interface PlannedReward {
  /** The name of a registered reward, or a reward of your own. */
  readonly use: string | RewardMethod;
  /** What it is stored as. Default: its id. */
  readonly as?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Its weight in a sum, which is then the reward of the plan. Default: it is in none. */
  readonly weight?: number;
  /** What it is given beyond what all are given. */
  readonly givens?: Givens;
}

export interface RewardPlan {
  readonly rewards: readonly PlannedReward[];
  /** The one that becomes the reward of trajectories, and the one that becomes that of steps. Default: untouched. */
  readonly reward?: string;
  readonly stepReward?: string;
  /** Options of the screens of a training whose rewards these are; false leaves one out. Default: their own. */
  readonly screens?: ScreenSettings;
}

/** What a sum by weights is called. */
const SUM = "components";

/** The plan with the sum that its weights ask for, as a reward of its own. */
export function withSum(plan: RewardPlan): RewardPlan {
  const weighed = plan.rewards.filter(({ weight }) => weight !== undefined);
  if (weighed.length === 0) return plan;
  const weights = Object.fromEntries(weighed.map((one) => [plannedName(one), one.weight]));
  const rewards = [...plan.rewards.map(({ weight: _weight, ...rest }) => rest), { use: SUM, options: { weights } }];
  return { ...plan, rewards, reward: plan.reward ?? SUM };
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
  readonly referencesOf?: Readonly<Record<string, References>>;
}

/** References are kept apart by name: one reward may count rounds where another counts steps. */
export async function runPlan(
  trajectories: readonly Trajectory[],
  plan: RewardPlan,
  methods: Readonly<Record<string, RewardMethod>>,
  givens: PlanGivens,
): Promise<Rewarded> {
  const { referencesOf = {}, ...shared } = givens;
  const whole = withSum(plan);
  let current = trajectories;
  const metrics: Record<string, Readonly<Record<string, number>>> = {};
  const references: Record<string, References> = { ...referencesOf };
  for (const { use, as, options = {}, givens: own } of whole.rewards) {
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
    const given = await askRewards(method, current, { as: name, options, givens: all });
    metrics[name] = given.metrics;
    if (given.references !== undefined) references[name] = given.references;
    current = withRewards(current, given.rewards);
  }
  const { reward, stepReward } = whole;
  checkNames(current, whole);
  const named = { ...(reward === undefined ? {} : { reward }), ...(stepReward === undefined ? {} : { stepReward }) };
  return {
    trajectories: withRewards(
      current,
      current.map(() => []),
      named,
    ),
    metrics,
    references,
  };
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
