/** A provider alone, on real episodes: a scripted walker in a corridor, and a scorer whose numbers can be foretold. */
import { batchFromTrajectories, type TrajectoryBatch } from "../../packages/core/src/credit/from-trajectories.ts";
import { getCredit } from "../../packages/core/src/credit/registry.ts";
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { RowStatistics, ScoreRow, Scorer } from "../../packages/policy/src/policy/policy.ts";
import type { LocalModel } from "../../packages/policy/src/policy/local/local-model.ts";
import { byteTokenizer, plainDialect } from "../../packages/policy/src/policy/tabular/script-tokenizer.ts";
import { createScriptedPolicy, type Script } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";
import { createGuard } from "../../packages/core/src/distill/guard.ts";
import { getRecipe } from "../../packages/core/src/recipe/registry.ts";
import { resolveSettings } from "../../packages/core/src/recipe/settings.ts";
import { createStatisticsAnalyst } from "../../packages/core/src/skill/statistics/statistics.ts";
import { createContext, type UpdateContext } from "../../packages/core/src/update/context.ts";
import { provide } from "../../packages/core/src/update/credit.ts";
import type { Cost } from "../../packages/core/src/update/ledger.ts";
import { providers, type ProviderId } from "../../packages/core/src/update/providers/index.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export const walkerDialect = plainDialect(byteTokenizer());

/** Knows the way. */
export const eastward: Demonstrator = {
  id: "eastward",
  summary: "Goes east.",
  start: () => ({ next: () => "go east" }),
};

export const threeRooms = (): Env => createCorridor({ rooms: 3, maxSteps: 4 });

/** East, then as the script says. */
export const walker: Script = () => [
  { text: "go east", probability: 0.5 },
  { text: "go west", probability: 0.5 },
];

/** The log-probability of every asked token: minus the length of what was read before it, in hundredths. */
export const byLength = (row: ScoreRow): RowStatistics => ({
  logprob: Float32Array.from(row.ids, (_, at) => (row.mask?.[at] === 1 ? -at / 100 : 0)),
  value: Float32Array.from(row.ids, (_, at) => (row.mask?.[at] === 1 ? at / 10 : 0)),
});

export interface TriedProvider {
  readonly batch: TrajectoryBatch;
  readonly plain: TrajectoryBatch;
  readonly episodes: readonly Trajectory[];
  readonly metrics: Readonly<Record<string, number>>;
  readonly cost: Cost;
  readonly asked: readonly ScoreRow[];
}

export interface TryOptions {
  readonly credit: string;
  readonly script?: Script;
  readonly env?: Env;
  readonly demonstrator?: Demonstrator | undefined;
  readonly given?: Readonly<Record<string, unknown>>;
  readonly size?: number;
  readonly strategy?: string;
  readonly episodes?: readonly Trajectory[];
  readonly score?: (row: ScoreRow) => RowStatistics;
  readonly vocabularySize?: number;
  readonly reward?: UpdateContext["reward"];
  readonly outcomeScorer?: UpdateContext["outcomeScorer"];
}

/** Runs the provider over episodes of one task. */
export async function tryProvider(id: ProviderId, options: TryOptions): Promise<TriedProvider> {
  const { credit, script = walker, env = threeRooms(), size = 3, score = byLength } = options;
  const asked: ScoreRow[] = [];
  const scorer: Scorer = {
    statistics: ["logprob", "value", "candidates"],
    score: async (rows, { report } = {}) => {
      asked.push(...rows);
      report?.({ tokens: rows.reduce((total, { ids }) => total + ids.length, 0), tokensSaved: 0 });
      return rows.map(score);
    },
  };
  const policy = createScriptedPolicy({ script });
  const config = { contextLength: 4_096, vocabularySize: options.vocabularySize ?? 300 };
  const model = { ...policy, ...scorer, config } as unknown as LocalModel;
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const agent = createTokenAgent({ policy, dialect: walkerDialect, answerTokens: 16 });
  const strategy = createStrategy(options.strategy ?? "group", { size });
  const episodes = options.episodes ?? (await rollOut({ env, agent, tasks, strategy, seed: 3 })).trajectories;
  const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit, given: options.given ?? {} });
  const plain = batchFromTrajectories(episodes);
  const update = createContext({
    update: 1,
    seed: 1,
    settings,
    credit: { ...getCredit(credit), needs: providers[id].supplies, wants: () => [] },
    providers: { [id]: providers[id] },
    model,
    dialect: walkerDialect,
    start: scorer,
    teacher: { scorer, learned: () => undefined, state: undefined },
    teacherPolicy: () => policy,
    guard: createGuard(),
    analyst: createStatisticsAnalyst(),
    strategy,
    silenced: false,
    learningRate: 0,
    env,
    demonstrator: Object.hasOwn(options, "demonstrator") ? options.demonstrator : eastward,
    skills: {},
    kept: null,
    creditState: null,
    reward: options.reward,
    outcomeScorer: options.outcomeScorer,
    now: () => 0,
    signal: new AbortController().signal,
  });
  const batch = await provide(update, plain, episodes, settings.credit);
  const own = Object.entries(update.record.metrics).map(([name, value]) => [name.replace("provider/", ""), value]);
  return { batch, plain, episodes, metrics: Object.fromEntries(own), cost: update.ledger.cost, asked };
}
