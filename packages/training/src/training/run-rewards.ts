/** The rewards of a run: a plan by name with what the training can give them, kept with the run, and reported by part. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { checkPlan } from "limbeck-core/reward/check-plan";
import { plainRewardPlan, readRewardPlan } from "limbeck-core/reward/plan-file";
import { plannedName, type RewardPlan } from "limbeck-core/reward/plan";
import { plannedMethod, rewardTrajectories } from "limbeck-core/reward/registry";
import { weightAt } from "limbeck-core/reward/weight";
import type { Givens, Gold, References } from "limbeck-core/reward/reward";
import type { ScreenSettings } from "limbeck-core/reward/screens/index";
import type { Env } from "limbeck-core/env/env";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { measure, type UpdateContext } from "limbeck-core/update/context";
import { referenceCalls } from "limbeck-core/update/reference-calls";
import { openChatAsker, type OpenedAsker } from "limbeck-core/walk/tree/asker";
import { rewarding, type RewardPart } from "./parts.ts";
import { requireScorer } from "./scorer/open-scorer.ts";
import { withScorers } from "./scorer/plan-scorers.ts";

/** What the run's own course depends on where rewards are functions. */
const OWN = "own";
/** The field for the source of an episode's reward, if that was not the training (`away-rewards.ts`). */
export const REWARDED = "rewardedBy";
/** Longest answer of a judge. */
export const JUDGE_TOKENS = 1_024;

export interface RunRewards {
  /** As they are stored with the run and compared when it is resumed. */
  readonly stored: JsonObject | string;
  readonly screens: ScreenSettings;
  /** Of screens that look at one reward alone, by its name. */
  readonly partScreens: Readonly<Record<string, ScreenSettings>>;
  readonly give: (episodes: readonly Trajectory[], update: UpdateContext) => Promise<readonly Trajectory[]>;
  /** References that tighten from update to update. */
  save(): JsonObject | null;
  load(state: JsonObject): void;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A plan by name, a plan of code, or a function of one episode. */
export function createRunRewards(part: RewardPart, environment: Environment): RunRewards {
  if (typeof part === "function") return ownRewards(rewarding(part));
  return plannedRewards(typeof part === "string" ? readRewardPlan(part) : part, environment);
}

/** A function of all episodes of an update. */
export function ownRewards(give: RunRewards["give"]): RunRewards {
  const nothing = { screens: {}, partScreens: {}, save: () => null, load: () => undefined };
  return { stored: OWN, give, ...nothing, close: () => Promise.resolve() };
}

/** What a need is where only code can give it; the others the training gives itself. */
const FROM_CODE: Readonly<Record<string, string>> = {
  potential: "a potential of states",
  scoreSteps: "a scorer of steps",
  scoreTokens: "a reward model for tokens",
};

/** Refuses by name what the training cannot give, before anything is played. */
export async function requireRewardNeeds(plan: RewardPlan, environment: Environment): Promise<void> {
  for (const planned of plan.rewards) {
    const [method, { givens = {} }] = [plannedMethod(planned), planned];
    // What is not a scorer is refused before anything is played.
    if (planned.scorer !== undefined) await requireScorer(planned.scorer);
    for (const need of method.needs) {
      if (givens[need] !== undefined || need === "verify") continue;
      if (need === "scoreSteps" && planned.scorer !== undefined) continue;
      const what = FROM_CODE[need];
      if (what !== undefined) {
        throw new EngineError(
          "needs-unmet",
          `The reward ${method.id} needs ${what} (${need}), which only a program can give: train({ reward: { rewards: [{ use: "${method.id}", givens: { ${need} } }], reward: "${method.id}" } }). From the command line${need === "scoreSteps" ? " name a trained scorer in the plan (scorer: DIR; limbeck reward train makes one), or" : ""} choose another reward.`,
          { details: { reward: method.id, missing: [need] } },
        );
      }
      await requireJudge(method.id, environment);
    }
  }
}

async function requireJudge(reward: string, environment: Environment): Promise<void> {
  const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
  try {
    chatServerFrom(environment);
  } catch (cause) {
    throw new EngineError(
      "needs-unmet",
      `The reward ${reward} needs a judge, and the training has none. ${(cause as Error).message} In code, give one as givens.judge of the reward.`,
      { details: { reward, missing: ["judge"] }, cause },
    );
  }
}

function plannedRewards(plan: RewardPlan, environment: Environment): RunRewards {
  checkPlan(plan, "the plan of rewards");
  const scorers = withScorers(plan);
  let references: Readonly<Record<string, References>> = {};
  let judging: Promise<OpenedAsker> | undefined;
  const methods = plan.rewards.map(plannedMethod);
  const asks = methods.some(({ needs }) => needs.includes("judge"));
  const usesGold = methods.some(({ mayUse }) => mayUse?.gold !== undefined);
  const judgeFor = (update: UpdateContext): NonNullable<Givens["judge"]> => {
    let asked = 0;
    return async (prompt) => {
      judging ??= openChatAsker(environment);
      const { asker } = await judging;
      const { signal, seed, ledger } = update;
      asked += 1;
      const said = await asker(prompt, { maxTokens: JUDGE_TOKENS, signal, seed: `${seed} ${update.update} ${asked}` });
      const { promptTokens = 0, completionTokens = 0 } = said.usage ?? {};
      ledger.book({ modelTokens: promptTokens, sampledTokens: completionTokens });
      return said.text;
    };
  };
  return {
    stored: plainRewardPlan(plan) ?? OWN,
    screens: plan.screens ?? {},
    partScreens: Object.fromEntries(
      plan.rewards.flatMap((one) => (one.screens === undefined ? [] : [[plannedName(one), one.screens]])),
    ),
    give: async (episodes, update) => {
      // What workers have rewarded already is as it would be here.
      const waiting = episodes.filter(({ info }) => info?.[REWARDED] === undefined);
      if (waiting.length < episodes.length)
        measure(update, { "reward/elsewhere": 1 - waiting.length / episodes.length });
      const gold = usesGold ? await goldFor(waiting, update) : undefined;
      const { trajectories: fresh, references: next } = await rewardTrajectories(waiting, scorers.plan, {
        ...worldsVerdict,
        signal: update.signal,
        update: update.update,
        referencesOf: references,
        ...(asks ? { judge: judgeFor(update) } : {}),
        ...(gold === undefined ? {} : { gold: ({ task }: Trajectory) => gold.get(task.id) }),
      });
      references = next;
      const given = new Map(fresh.map((one) => [one.id, one]));
      const trajectories = episodes.map((one) => given.get(one.id) ?? one);
      measure(update, meansByPart(trajectories, new Set(trajectories.flatMap(givenNames))));
      measure(update, movingWeights(plan, update.update));
      return trajectories;
    },
    save: () => savedReferences(references),
    load: (state) => {
      references = loadedReferences(state);
    },
    close: async () => {
      await scorers.close();
      await (await judging)?.close();
    },
  };
}

/** Weights that change over the updates, as they are now. */
function movingWeights({ rewards }: RewardPlan, update: number): Record<string, number> {
  return Object.fromEntries(
    rewards.flatMap((one) =>
      typeof one.weight === "object" ? [[`reward/${plannedName(one)}/weight`, weightAt(one.weight, update)]] : [],
    ),
  );
}

/** Without another verifier the world's own verdict is one. */
export const worldsVerdict: Givens = { verify: ({ success }) => success };

function givenNames({ rewards }: Trajectory): string[] {
  return rewards.filter(({ source }) => source.startsWith("reward:")).map(({ name }) => name);
}

/** The mean of every part that was scored, of trajectories and of steps, and how much was not. */
export function meansByPart(trajectories: readonly Trajectory[], names: ReadonlySet<string>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) {
    const all = trajectories.flatMap(({ rewards }) => rewards.filter((one) => one.name === name));
    for (const [place, isStep] of [["", false] as const, ["/steps", true] as const]) {
      const own = all.filter(({ step, tokens }) => (step !== undefined) === isStep && tokens === undefined);
      if (own.length === 0) continue;
      const values = own.flatMap(({ score }) => (score.kind === "scored" ? [score.value] : []));
      if (values.length > 0) found[`reward/${name}${place}`] = mean(values);
      const unscored = own.length - values.length;
      if (unscored > 0) found[`reward/${name}${place}/unscored`] = unscored / own.length;
    }
  }
  return found;
}

/** Tool calls of the world's demonstrator and the world's procedures, for rewards that compare with right ones. */
async function goldFor(episodes: readonly Trajectory[], update: UpdateContext): Promise<Map<string, Gold>> {
  const calls =
    update.demonstrator === undefined ? undefined : await referenceCalls(episodes, update, "reference calls");
  return new Map(
    episodes.map(({ task }) => [
      task.id,
      {
        ...goldIn(update.env, task),
        ...((calls?.get(task.id)?.length ?? 0) > 0 ? { calls: calls?.get(task.id) ?? [] } : {}),
      },
    ]),
  );
}

/** What the world itself says of the way to a task's goal. */
export function goldIn({ procedure }: Pick<Env, "procedure">, task: Task): Gold {
  const subgoals = procedure?.(task);
  return subgoals === undefined ? {} : { subgoals };
}

function savedReferences(references: Readonly<Record<string, References>>): JsonObject | null {
  const entries = Object.entries(references).map(([name, known]) => [name, Object.fromEntries(known)] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function loadedReferences(state: JsonObject): Record<string, References> {
  return Object.fromEntries(
    Object.entries(state).map(([name, known]) => [name, new Map(Object.entries(known as Record<string, number>))]),
  );
}
