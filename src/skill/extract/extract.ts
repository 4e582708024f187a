/**
 * From trajectories to skills that hold for more than one task. Episodes are grouped by the shape of their goals; what the
 * analyst found in each is put into the words of the shape, compared and merged. Nothing of an episode that nobody scored
 * or that failed to be analysed is guessed: it is counted, with the reason.
 */
import { groupedBy, throwIfAborted } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Link } from "../library/library-skill.ts";
import type { NewSkill } from "../library/library.ts";
import { screenEvidence } from "../screen/screen-evidence.ts";
import type { Analyst } from "../skill.ts";
import { passingVerbs } from "../statistics/passing-verbs.ts";
import { succeeded } from "../statistics/transitions.ts";
import { draftsOfCalls, taskOf } from "./call-drafts.ts";
import { groupCalls } from "./call-kinds.ts";
import { findContradictions, mergeDuplicates, mergeLinks } from "./duplicates.ts";
import { groupByShape } from "./goal-shapes.ts";
import { groundedness } from "./groundedness.ts";
import { hangsTogether, worldVerbs } from "./hangs-together.ts";
import { nameFor } from "./naming.ts";
import { byCalls, seenBy, withDerivedKeys } from "./recorded-moves.ts";
import { draftsOfTexts } from "./text-drafts.ts";
import { draftsOfWays, warningsOf, type Draft } from "./way-drafts.ts";

export interface ExtractOptions {
  readonly analyst: Analyst;
  /** Tasks that must have shown it before it is a candidate; with fewer it is unproven. Default: 2. */
  readonly leastTasks?: number;
  /** Share of the successful tasks of a shape that must have a step. Default: 0.6. */
  readonly share?: number;
  /** Least groundedness of a candidate. Default: 0.5. */
  readonly leastGroundedness?: number;
  /** The run of the store that a trajectory is from. */
  readonly runOf?: (trajectory: Trajectory) => string | undefined;
  readonly signal?: AbortSignal;
}

export interface Extraction {
  readonly episodes: number;
  readonly succeeded: number;
  /** Episodes that a skill rests on. */
  readonly yielding: number;
  /** Why the others gave nothing, by reason. */
  readonly nothing: Readonly<Record<string, number>>;
  readonly shapes: number;
  readonly skills: readonly NewSkill[];
}

const LEAST_TASKS = 2;
const LEAST_GROUNDEDNESS = 0.5;

/**
 * Skills that hold for a kind of goal, each with its evidence, and why the other episodes gave none.
 *
 * @example
 * import { createStatisticsAnalyst } from "limbeck/skill";
 *
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 8, group: 1 });
 * const { episodes, skills } = await extractSkills(trajectories, { analyst: createStatisticsAnalyst() });
 * console.log(episodes, skills[0]?.when.goals); // 8 [ "put some {1} on {2}." ]
 */
export async function extractSkills(given: readonly Trajectory[], options: ExtractOptions): Promise<Extraction> {
  const { analyst, signal } = options;
  const trajectories = given.map(withDerivedKeys);
  const reasons = new Map<string, string>();
  const usable = trajectories.filter((trajectory) => {
    const why = whyUseless(trajectory);
    if (why !== undefined) reasons.set(trajectory.id, why);
    return why === undefined;
  });
  const [called, played] = byCalls(usable);
  const groups = [...groupByShape(played), ...groupCalls(called)];
  const calls = new Set(called.map(({ id }) => id));
  const passing = passingVerbs(played);
  const drafts: Draft[] = [];
  for (const group of groups) {
    throwIfAborted(signal);
    // The statistics analyst's finding is a list of moves, which says more than its sentence.
    const found =
      analyst.id !== "statistics"
        ? await draftsOfTexts(group, analyst, signal === undefined ? {} : { signal })
        : group.members.some(({ trajectory }) => calls.has(trajectory.id))
          ? draftsOfCalls(group, options.share)
          : draftsOfWays(group, { passing, ...(options.share === undefined ? {} : { share: options.share }) });
    drafts.push(...found.drafts);
    for (const [id, why] of found.nothing) reasons.set(id, why);
  }
  if (analyst.id === "statistics") drafts.push(...warningsOf(groups));
  const pool: Pool = {
    all: usable,
    verbs: worldVerbs(usable),
    byId: new Map(usable.map((trajectory) => [trajectory.id, trajectory])),
    byShape: groupedBy(
      groups.flatMap(({ shape, members }) => members.map(({ trajectory }) => ({ shape, trajectory }))),
      ({ shape }) => shape,
    ),
  };
  const skills = named(mergeDuplicates(drafts.map((draft) => finish(draft, pool, options))));
  const yielding = new Set(skills.flatMap(({ evidence }) => evidence.map(({ trajectory }) => trajectory)));
  const nothing: Record<string, number> = {};
  for (const { id } of trajectories) {
    if (yielding.has(id)) continue;
    const why = reasons.get(id) ?? "nothing in it that others of its kind share";
    nothing[why] = (nothing[why] ?? 0) + 1;
  }
  return {
    episodes: trajectories.length,
    succeeded: trajectories.filter(succeeded).length,
    yielding: yielding.size,
    nothing,
    shapes: groups.length,
    skills: withContradictions(skills),
  };
}

function whyUseless({ steps, success, reward, ending }: Trajectory): string | undefined {
  if (ending === "failed") return "the episode was lost";
  if (steps.length === 0) return "no steps";
  if (success === null && reward.kind === "unscored") return "nobody said whether it succeeded";
  return steps.every(({ action }) => action.trim() === "") ? "no actions" : undefined;
}

/** The episodes, found quickly: there may be thousands of drafts. */
interface Pool {
  readonly all: readonly Trajectory[];
  readonly verbs: ReadonlySet<string>;
  readonly byId: ReadonlyMap<string, Trajectory>;
  readonly byShape: ReadonlyMap<string, readonly { readonly trajectory: Trajectory }[]>;
}

/** Evidence with its run, groundedness, the screen, and what all that makes of it. */
function finish(draft: Draft, { all, verbs, byId, byShape }: Pool, options: ExtractOptions): NewSkill {
  const { tasks, ...skill } = draft;
  const runOf = options.runOf ?? (() => undefined);
  const cited = new Set(skill.evidence.map(({ trajectory }) => trajectory));
  const evidence = [...cited].flatMap((id) => byId.get(id) ?? []);
  const goals = evidence.map(({ task }) => task.goal);
  const grounded = groundedness(skill.text, goals, evidence);
  const members =
    skill.level === "general"
      ? all
      : skill.when.goals.flatMap((shape) => (byShape.get(shape) ?? []).map(({ trajectory }) => trajectory));
  const successes = members.filter(succeeded).length;
  const observations = evidence.flatMap(seenBy);
  // What agents were told and what they really did is screened too: generalising may have left out what gives it away.
  const done = skill.evidence.flatMap(({ trajectory, steps }) => {
    const seen = byId.get(trajectory)?.steps.filter(({ index }) => steps.includes(index)) ?? [];
    return seen.map(({ action }) => action);
  });
  const concerns = screenEvidence(skill, { goals, deeds: done, observations });
  const leastTasks = options.leastTasks ?? LEAST_TASKS;
  const tied = evidence.filter((trajectory) =>
    hangsTogether(
      trajectory,
      skill.evidence.filter((link) => link.trajectory === trajectory.id).flatMap(({ steps }) => steps),
      verbs,
    ),
  );
  const proven =
    tasks >= leastTasks &&
    new Set(tied.map(taskOf)).size >= leastTasks &&
    grounded >= (options.leastGroundedness ?? LEAST_GROUNDEDNESS);
  return {
    ...skill,
    evidence: mergeLinks(skill.evidence.map((link): Link => withRun(link, byId.get(link.trajectory), runOf))),
    support: { successes, failures: members.length - successes },
    groundedness: Number(grounded.toFixed(4)),
    status: concerns.length > 0 ? "quarantined" : proven ? "candidate" : "unproven",
    ...(concerns.length === 0 ? {} : { concerns }),
  };
}

function withRun(
  link: Link,
  trajectory: Trajectory | undefined,
  runOf: (trajectory: Trajectory) => string | undefined,
): Link {
  const run = trajectory === undefined ? undefined : runOf(trajectory);
  return run === undefined ? link : { run, ...link };
}

function named(skills: readonly NewSkill[]): NewSkill[] {
  const taken = new Set<string>();
  return skills.map((skill) => {
    const name = nameFor(skill, taken);
    taken.add(name);
    return { ...skill, name };
  });
}

function withContradictions(skills: readonly NewSkill[]): NewSkill[] {
  const against = findContradictions(skills, skills);
  return skills.map((skill, at) => {
    const names = (against[at] ?? []).map(({ name }) => name).filter((name) => name !== skill.name);
    return names.length === 0 ? skill : { ...skill, contradicts: names };
  });
}
