/** A rollout into a run of the store: choose, roll out, store, report. */
import { usageError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { readSettings } from "limbeck-base/base/operation";
import { actingFiles, hashOfFiles } from "limbeck-policy/policy/local/acting-files";
import { neededSizeName } from "limbeck-core/recipe/settings";
import { createStrategy, getStrategy } from "limbeck-core/rollout/registry";
import type { ReadyStrategy } from "limbeck-core/rollout/strategy";
import { StrategyTally } from "limbeck-core/rollout/effect";
import { givenAgent, givenTasks, givenWorld, firstDemonstrator, namedPolicy, type AgentPlace } from "./given-parts.ts";
import { givenRewards } from "./given-rewards.ts";
import { beginRollout, type RolloutConfig, type RolloutOfRun } from "./gone-on.ts";
import { rollout, type RolloutOptions } from "./rollout.ts";
import { placeFor, withRun } from "limbeck-store/store/with-run";
import { givenWriter } from "limbeck-core/skill/writer/given-writer";
import { taskPool } from "limbeck-store/store/task-pool";
import { scorerPlace } from "limbeck-training/training/scorer/open-scorer";
import { scoreValue } from "limbeck-base/trajectory/score";
import { tally, isOutOfRoom } from "limbeck-base/trajectory/tally";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { EpisodeLimits } from "limbeck-core/walk/line/runtime";
import type { KeptEpisodes } from "limbeck-core/walk/line/strategy";
import type { RollOutProgress } from "limbeck-core/walk/line/roll-out";
import { overlapTally } from "limbeck-core/walk/line/call-first";
import { formatCount, plural } from "limbeck-base/base/units";
import { reportRollout, tooFew } from "./rollout-outcome.ts";
import type { RolloutContext, RolloutInput, RolloutOutcome } from "./rollout.inputs.ts";
import { withLibrary, type ChosenAgent } from "./skilled-agent.ts";

/** Episodes that stand for themselves are committed as they come: a kill costs no more than these steps. */
const COMMIT_STEPS = 16_384;

interface Plan {
  readonly request: RolloutOptions & { readonly tasks: readonly Task[] };
  readonly strategy: ReadyStrategy;
  readonly chosen: ChosenAgent;
  /** Whether the strategy asks for episodes of other runs. */
  readonly pooled: boolean;
  /** What the run keeps of it all. */
  readonly config: RolloutConfig;
}

/** What a command that is a rollout in other words shows besides. */
export interface RolloutCallbacks {
  /** Gives the fields that JSON says besides. */
  readonly onTrajectory: (trajectory: Trajectory, tokens: number) => object;
  /** After the last line of a run that is worth something. */
  readonly onEnd: (run: string) => void;
}

export async function rollIntoRun(
  input: RolloutInput,
  context: RolloutContext,
  callbacks?: RolloutCallbacks,
): Promise<void> {
  const { resume } = input;
  const place = placeFor(context, input.run, input.dir);
  if (resume && place.id === undefined) throw usageError("--resume goes on with a run; name it by --run or --dir.");
  const { request, strategy, chosen, pooled, config } = await planned(input, context);
  let begun: RolloutOfRun | undefined;
  let [trajectories, judged, steps, committed] = [0, 0, 0, 0];
  // What a strategy remembers and the episodes that it is of are stored together, or neither is.
  const atOnce = resume || strategy.save !== undefined;
  const failed: Trajectory[] = [];
  let progress: RollOutProgress | undefined;
  const kept = (): KeptEpisodes => strategy.kept?.() ?? { groups: 0, tokens: 0 };
  const strategyTally = new StrategyTally();
  const overlap = overlapTally();
  const outcome = (): RolloutOutcome => ({
    progress,
    trajectories,
    judged,
    steps,
    losses: tally(failed),
    kept: kept(),
    metrics: {
      ...strategyTally.metrics(strategy.effect, {
        tasks: request.tasks.length,
        prefix: begun?.prefix ?? "",
        kept: strategy.kept?.(),
      }),
      ...chosen.metrics?.(),
      ...overlap.metrics(),
    },
  });
  const bar = context.progress({ label: `Rolling out ${plural(request.tasks.length, "task")}` });
  const onEvent = (now: RollOutProgress): void => {
    progress = now;
    const tokens = now.spent.sampledTokens === 0 ? "" : `, ${plural(now.spent.sampledTokens, "token")}`;
    bar.update(now.episodes, `${formatCount(now.succeeded)} succeeded${tokens}`);
  };
  try {
    await withRun(context, {
      place,
      begin: async (store, id) => {
        begun = await beginRollout(store, { id, resume, config, strategy });
        return begun.writer;
      },
      stays: () => begun?.isContinued === true || kept().groups > 0,
      collect: async (writer, store) => {
        const append = async (walked: Trajectory): Promise<void> => {
          const trajectory = (await chosen.finished?.(walked)) ?? walked;
          await writer.append(trajectory);
          strategyTally.add(walked);
          overlap.add(walked);
          trajectories += 1;
          if (trajectory.success !== null) judged += 1;
          if (trajectory.ending === "failed" || isOutOfRoom(trajectory))
            failed.push({ ...trajectory, steps: [], streams: [] });
          steps += trajectory.steps.length;
          if (!atOnce && steps - committed >= COMMIT_STEPS) {
            await writer.commit();
            committed = steps;
          }
          const event = eventOf(trajectory);
          context.emit({ ...event, ...callbacks?.onTrajectory(trajectory, event.tokens) });
        };
        try {
          const pool = pooled ? taskPool(store, { except: writer.run }) : undefined;
          const given = { ...request, prefix: begun?.prefix, pool, sink: { append } };
          // What is learnt of a task is for the next one: they are played in turn.
          progress = input.learn ? await inTurn(given, onEvent) : await rollout({ ...given, onEvent });
        } finally {
          bar.end();
          await begun?.finish();
        }
      },
      stored: () => trajectories,
      judge: () => tooFew(outcome()),
      say: (end) => {
        reportRollout(context, outcome(), end);
        if (end.run !== null && end.fault === undefined) callbacks?.onEnd(end.run);
      },
    });
  } finally {
    await chosen.close();
  }
}

async function inTurn(
  { tasks, ...given }: Plan["request"],
  onEvent: (now: RollOutProgress) => void,
): Promise<RollOutProgress> {
  let all: RollOutProgress | undefined;
  for (const task of tasks) {
    const own = await rollout({ ...given, tasks: [task], collect: false });
    all = all === undefined ? own : added(all, own);
    onEvent(all);
  }
  return all ?? (await rollout({ ...given, tasks: [], collect: false }));
}

function added(one: RollOutProgress, other: RollOutProgress): RollOutProgress {
  const kinds = Object.keys(one.spent) as (keyof RollOutProgress["spent"])[];
  return {
    episodes: one.episodes + other.episodes,
    failed: one.failed + other.failed,
    succeeded: one.succeeded + other.succeeded,
    spent: Object.fromEntries(
      kinds.map((kind) => [kind, one.spent[kind] + other.spent[kind]]),
    ) as RollOutProgress["spent"],
  };
}

async function planned(input: RolloutInput, context: RolloutContext): Promise<Plan> {
  const { seed, attempts, concurrency } = input;
  const { id, world, options: envOptions, env } = await givenWorld("rollout", input, context);
  const { name, options } = givenStrategy(input);
  const strategy = createStrategy(name, options);
  const pooled = strategy.needs.includes("pool");
  // Episodes of other runs are asked for in the middle of the rollout.
  await context.need(pooled ? ["duckdb"] : []);
  const limits = { ...input.limit, ...input.budget };
  const tasks = await givenTasks(env, "rollout", { ...input, signal: context.signal });
  const reward = await givenRewards(input, context);
  const scorer = scorerPlace(input.scorer, context.cwd);
  const place = { command: "rollout", world, env: id };
  const described = await describedPolicy(input, context, place, strategy.save !== undefined);
  // The same model is opened once more: episodes and writings are not to wait for each other.
  const writer = await givenWriter(input.ask, context, async () => {
    const named = await namedPolicy(input.policy, input, place, context);
    return named.kind === "model" ? `local:${named.folder}` : undefined;
  });
  const opened = await withLibrary(input, context, await givenAgent(input.policy, input, place, context));
  const close = async (): Promise<void> => {
    await opened.close();
    await writer?.close?.();
  };
  const chosen = { ...opened, close };
  const { agent } = chosen;
  const { speech, ...files } = described;
  return {
    strategy,
    request: {
      env,
      demonstrator: firstDemonstrator(world),
      tasks,
      policy: agent,
      strategy,
      seed,
      budget: limits,
      episode: episodeLimits(input),
      attempts,
      concurrency,
      ...withoutUndefined({ reward, scorer, writer }),
      collect: false,
      signal: context.signal,
    },
    chosen,
    pooled,
    config: {
      env: id,
      envOptions,
      strategy: name,
      options,
      seed,
      limits,
      ...withoutUndefined({ scorer }),
      ...(reward === undefined ? {} : { reward: JSON.parse(JSON.stringify(reward)) as JsonObject }),
      policy: { ...agent.ref, ...files },
      speech,
    },
  };
}

export function givenStrategy({ strategy: name, group, strategyOptions }: RolloutInput) {
  const { options } = getStrategy(name);
  const size = group === undefined ? {} : { [neededSizeName(name)]: group };
  return { name, options: readSettings(options, { ...size, ...strategyOptions }, name) };
}

export function episodeLimits({ maxSteps, episodeTokens, episodeSeconds }: RolloutInput): EpisodeLimits {
  return withoutUndefined({ steps: maxSteps, tokens: episodeTokens, seconds: episodeSeconds });
}

/** How the policy is spoken to; of a model whose episodes may go on later, also which weights it has. */
async function describedPolicy(
  input: RolloutInput,
  context: RolloutContext,
  place: AgentPlace,
  isRemembered: boolean,
): Promise<{ readonly speech: JsonObject | null; readonly weights?: string }> {
  const named = await namedPolicy(input.policy, input, place, context);
  if (named.kind === "script") return { speech: null };
  const speech: JsonObject = withoutUndefined({ ...named.speech });
  if (named.kind === "chat" || !isRemembered) return { speech };
  return { speech, weights: hashOfFiles(await actingFiles(named.folder)) };
}

function eventOf(trajectory: Trajectory) {
  const { id, task, group, parent, ending, success, reward, steps, streams, failure } = trajectory;
  const tokens = streams.reduce((total, { mask }) => total + mask.reduce((count, on) => count + on, 0), 0);
  return {
    event: "trajectory" as const,
    id,
    task: task.id,
    group,
    parent: parent ?? null,
    ending,
    success,
    reward: scoreValue(reward) ?? null,
    steps: steps.length,
    tokens,
    failure: failure?.code ?? null,
  };
}
