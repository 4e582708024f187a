/**
 * The policy's own words, scored again by a teacher that knows more in its context. Nothing is sampled; the sequences
 * of one trajectory share their history, so that token trees make most of them cheap.
 */
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Analysis } from "../skill/skill.ts";
import {
  buildTeacherForest,
  scoredSequence,
  type LostRow,
  type TeacherForestOptions,
  type TeacherSequence,
} from "../skill/teacher-forest.ts";
import { createForest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import { type Job, type Rescored, scoreJobs, type ScoreJobsOptions } from "./score-sequences.ts";

export interface RescoreOptions extends ScoreJobsOptions {
  readonly dialect: Dialect;
  readonly forest: TeacherForestOptions;
}

/**
 * With the skills of the analyses in the context; episodes without one have no teacher.
 *
 * @example
 * import { createSkill } from "limbeck/skill";
 * import { createScriptedPolicy, createTabularPolicy, randomTable, plainDialect } from "limbeck/policy";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const { trajectories } = await rollout({ env: "household", policy, tasks: 1, group: 1, maxSteps: 2 });
 * const scorer = createTabularPolicy({ probabilities: randomTable({ states: 257, vocabularySize: 257, seed: 1 }) });
 * const told = { outcome: "failure", episodeSkill: createSkill("episode", "Look less.", []), stepSkills: new Map() } as const;
 * const analyses = new Map(trajectories.map(({ id }) => [id, { trajectory: id, ...told }]));
 * const forest = { episodeWeight: 1, stepWeight: 1 };
 * const { opinions } = await rescore(trajectories, analyses, { scorer, dialect: plainDialect(policy.tokenizer), forest });
 * console.log([...opinions.values()].map((steps) => steps.size)); // [ 2 ]
 */
export async function rescore(
  trajectories: readonly Trajectory[],
  analyses: ReadonlyMap<string, Analysis>,
  options: RescoreOptions,
): Promise<Rescored> {
  const lost: (LostRow & { trajectory: string })[] = [];
  /** Each when it is asked for. */
  function* jobs(): Generator<Job> {
    for (const trajectory of trajectories) {
      const analysis = analyses.get(trajectory.id);
      if (analysis === undefined) continue;
      const grown = buildTeacherForest(trajectory, analysis, options.dialect, options.forest);
      for (const row of grown.lost) lost.push({ ...row, trajectory: trajectory.id });
      for (const sequence of grown.sequences) yield { trajectory, sequence };
    }
  }
  return { ...(await scoreJobs(jobs(), options)), lost };
}

/** Exactly as sampled, for a teacher that is another model. `among`: the episodes that branches may have left. */
export async function rescorePlainly(
  trajectories: readonly Trajectory[],
  options: ScoreJobsOptions,
  among: readonly Trajectory[] = trajectories,
): Promise<Rescored> {
  const wanted = new Set(trajectories);
  // Episodes that were played beside are not among the others.
  const all = [...new Set([...among, ...trajectories])];
  const jobs = [...plainSequences(all)].flatMap(([trajectory, sequences]) =>
    wanted.has(trajectory) ? sequences.map((sequence): Job => ({ trajectory, sequence })) : [],
  );
  const lost = trajectories.flatMap(({ id, steps }) =>
    steps.flatMap(({ index, span }) =>
      span === undefined
        ? [{ trajectory: id, step: index, teacher: "episode" as const, reason: "no-tokens" as const }]
        : [],
    ),
  );
  return { ...(await scoreJobs(jobs, options)), lost };
}

// What a teacher scores when it knows nothing more than the policy did: the streams as they were sampled.

/** One sequence for each stream, a branch's with its parents' tokens before it. Episodes without tokens have none. */
export function plainSequences(episodes: readonly Trajectory[]): ReadonlyMap<Trajectory, readonly TeacherSequence[]> {
  const forest = createForest(episodes);
  return new Map(
    episodes.map((trajectory) => {
      const streams = wholeStreams(forest, trajectory);
      const found = streams.flatMap(({ ids }, stream) => {
        const before = ids.length - (trajectory.streams[stream]?.ids.length ?? 0);
        const spans = trajectory.steps.flatMap(({ index, span }) =>
          span?.stream === stream ? [{ step: index, start: before + span.start, end: before + span.end }] : [],
        );
        const isSaid = spans.some(({ start, end }) => end > start);
        return isSaid ? [scoredSequence({ teacher: "episode", skills: [], ids }, spans)] : [];
      });
      return [trajectory, found];
    }),
  );
}
