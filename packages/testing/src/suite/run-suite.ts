/** Runs a suite: a policy plays every task, graders judge the episodes, and a report says what came of it. */
import { EngineError } from "limbeck-base/base/errors";
import { checkOptions, may } from "limbeck-base/base/options";
import { mapLimit } from "limbeck-base/base/concurrency";
import { withoutUndefined } from "limbeck-base/base/fields";
import { evaluateAgent } from "limbeck-core/eval/evaluate";
import type { Agent } from "limbeck-core/walk/mind/agent";
import { isSeen } from "limbeck-base/trajectory/tally";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Grader, GraderTools } from "./grader.ts";
import { chainOf, gradeChain, type ChainGrade } from "./graders/registry.ts";
import type { GradedEpisode, Place } from "./item.ts";
import { proberOf } from "./probe.ts";
import { reportOf, type SuiteReport } from "./report.ts";
import { gradersOf, type Suite } from "./suite.ts";

/** What graders are handed beside the world to probe. */
export type GivenTools = Pick<GraderTools, "ask" | "runPython">;

export interface GradeOptions {
  readonly tools?: GivenTools;
  /** Graders of code, by the names that the suite uses. */
  readonly graders?: Readonly<Record<string, Grader>>;
  /** Episodes graded at once. Default: 8. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SuiteOptions extends GradeOptions {
  readonly suite: Suite;
  /** Its tasks, by `openSuite`. */
  readonly places: readonly Place[];
  /** Who plays in this place. It is closed when the place is done. */
  readonly policy: (place: Place) => Promise<{ readonly agent: Agent; readonly close: () => Promise<void> }>;
  /** As the report calls it. */
  readonly name: string;
  /** Episodes of each task. Default: 1. */
  readonly samples?: number | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SuiteRun {
  /** Two runs of a policy that draws by its seed alone agree on it to the bit. */
  readonly report: SuiteReport;
  readonly episodes: readonly GradedEpisode[];
}

export async function runSuite(options: SuiteOptions): Promise<SuiteRun> {
  checkOptions("runSuite", options, { samples: may.count, concurrency: may.count });
  const { suite, places, policy, name, samples = 1, signal, onProgress } = options;
  checkGraders(suite, options.graders);
  const total = places.reduce((count, { items }) => count + items.length * samples, 0);
  const episodes: GradedEpisode[] = [];
  for (const place of places) {
    const before = episodes.length;
    const { agent, close } = await policy(place);
    try {
      const { trajectories } = await evaluateAgent({
        env: place.env,
        agent,
        tasks: place.items.map(({ task }) => task),
        seed: `suite ${suite.seed}`,
        samples,
        onProgress: (done) => onProgress?.(before + done, total),
        ...withoutUndefined({ maxSteps: place.maxSteps, signal, concurrency: options.concurrency }),
      });
      episodes.push(...(await gradeEpisodes(suite, place, trajectories, options)));
    } finally {
      await close();
    }
  }
  return { report: reportOf({ suite, places, episodes, policy: name, samples }), episodes };
}

/** A grader that does not exist, an option or an answer that does not fit is an error before anything is played. */
function checkGraders(suite: Suite, own: GradeOptions["graders"]): void {
  for (const task of suite.tasks) {
    for (const { grader, answer } of gradersOf(suite, task)) {
      const faults = chainOf(grader, own).map(({ check }) => check(answer));
      const fault = faults.find((one) => one !== undefined);
      if (fault !== undefined)
        throw new EngineError("bad-input", `The suite ${suite.suite}, task ${task.id}: ${fault}.`);
    }
  }
}

/** What was played is graded without playing: stored episodes get the same grades again. */
export async function gradeEpisodes(
  suite: Suite,
  { env, items }: Pick<Place, "env" | "items">,
  trajectories: readonly Trajectory[],
  { tools = {}, graders, concurrency = 8, signal }: GradeOptions = {},
): Promise<GradedEpisode[]> {
  const byTask = new Map(items.map((item) => [item.task.id, item]));
  const grade = async (trajectory: Trajectory): Promise<GradedEpisode> => {
    const item = byTask.get(trajectory.task.id);
    if (item === undefined) {
      throw new EngineError("unknown-task", `The suite ${suite.suite} has no task ${trajectory.task.id} in ${env.id}.`);
    }
    if (!isSeen(trajectory)) {
      const { ending, failure } = trajectory;
      return { item, trajectory, score: unscored(failure?.code ?? ending), parts: {} };
    }
    const { probe, close } = proberOf(env, trajectory, signal);
    const { prompt = trajectory.task.goal } = item.from;
    const given = gradersOf(suite, item.from).map(
      async ({ grader, answer }) =>
        await gradeChain(chainOf(grader, graders), { trajectory, answer, prompt }, { ...tools, probe, signal }),
    );
    try {
      const [first, second] = (await Promise.all(given)) as [ChainGrade, ChainGrade | undefined];
      if (second === undefined) return { item, trajectory, ...first };
      const parts = { low: { score: first.score }, high: { score: second.score } };
      return { item, trajectory, score: between(first.score, second.score), parts };
    } finally {
      await close();
    }
  };
  return await mapLimit(trajectories, concurrency, grade, signal === undefined ? {} : { signal });
}

/** 0 at the low pole, 1 at the high one, in the middle where both hold or neither. */
function between(low: Score, high: Score): Score {
  if (low.kind === "unscored") return low;
  return high.kind === "unscored" ? high : scored((1 + high.value - low.value) / 2);
}
