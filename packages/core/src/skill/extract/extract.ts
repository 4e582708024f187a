/**
 * From trajectories to skills that hold for more than one task. Episodes are grouped by the shape of their goals; what the
 * analyst found in each is put into the words of the shape, compared and merged. An episode without a score
 * or analysis is not guessed: it is counted, with the reason.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { throwIfAborted } from "limbeck-base/base/errors";
import { cutWords } from "limbeck-base/base/words";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Link } from "../library/library-skill.ts";
import type { NewSkill } from "../library/library.ts";
import { screenEvidence } from "../screen/screen.ts";
import { type CitedEpisode, concernsOfSources } from "../screen/sources.ts";
import type { Analyst } from "../skill.ts";
import { passingVerbs } from "../statistics/passing-verbs.ts";
import { hasSucceeded } from "../statistics/transitions.ts";
import { draftsOfCalls, taskOf } from "./call-drafts.ts";
import { groupCalls } from "./call-kinds.ts";
import { findContradictions, mergeDuplicates, mergeLinks } from "./duplicates.ts";
import { groupByShape } from "./goal-shapes.ts";
import { groundedness } from "./groundedness.ts";
import { nameFor } from "./naming.ts";
import { byCalls, seenBy, withDerivedKeys } from "./recorded-moves.ts";
import { type Draft, draftsOfTexts, draftsOfWays, warningsOf } from "./way-drafts.ts";
import { isFunctionWord, singular } from "./words.ts";

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
    succeeded: trajectories.filter(hasSucceeded).length,
    yielding: yielding.size,
    nothing,
    shapes: groups.length,
    skills: withContradictions(skills),
  };
}

function whyUseless({ steps, success, reward, ending }: Trajectory): string | undefined {
  if (ending === "failed") return "the episode was lost";
  if (steps.length === 0) return "no steps";
  if (success === null && reward.kind === "unscored") return "its outcome is not known";
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
  const successes = members.filter(hasSucceeded).length;
  const observations = evidence.flatMap(seenBy);
  // Observations and actions are screened too: generalising may have left out what gives it away.
  const done = skill.evidence.flatMap(({ trajectory, steps }) => {
    const seen = byId.get(trajectory)?.steps.filter(({ index }) => steps.includes(index)) ?? [];
    return seen.map(({ action }) => action);
  });
  const concerns = [
    ...screenEvidence(skill, { goals, deeds: done, observations }),
    ...concernsOfSources(
      skill.text,
      evidence.map((trajectory) => citedEpisode(trajectory, skill.evidence)),
    ),
  ];
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

function citedEpisode(trajectory: Trajectory, evidence: readonly Link[]): CitedEpisode {
  const cited = evidence.filter((link) => link.trajectory === trajectory.id).flatMap(({ steps }) => steps);
  const { closing: _, ...open } = trajectory;
  const { steps } = open;
  return {
    goal: trajectory.task.goal,
    deeds: steps.flatMap(({ index, action }, at) =>
      // What the world answers later is no source.
      cited.includes(index) ? [{ text: action, seen: seenBy({ ...open, steps: steps.slice(0, at + 1) }) }] : [],
    ),
    actions: steps.map(({ action }) => action),
    observations: seenBy(trajectory),
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

// Whether what an agent did belongs to what it was asked. An agent that obeys a stranger does something that has nothing in common with
// its task: the things it names stand in no other move and in no other sentence of the goal, and no other agent ever does such a
// thing. So moves and sentences that name the same thing are tied together; a move that is tied to nothing, and whose verb is not one
// that agents of this world use for several things, proves nothing. That holds whatever words the stranger chose.

/** A move of fewer telling words ("look", "submit") carries nothing of anybody's. */
const LEAST_WORDS = 2;

/** Verbs that were used for different things: the language of the world. What one text made agents do is one thing, however many obeyed. */
export function worldVerbs(trajectories: readonly Trajectory[]): ReadonlySet<string> {
  const uses = new Map<string, string>();
  const found = new Set<string>();
  for (const { steps } of trajectories) {
    for (const { action } of steps) {
      const [verb, rest] = [verbOf(action), wordsOf(action, 1).toSorted().join(" ")];
      if (verb === undefined) continue;
      const known = uses.get(verb);
      if (known === undefined) uses.set(verb, rest);
      else if (known !== rest) found.add(verb);
    }
  }
  return found;
}

/** The tool of a call, or the first word. */
function verbOf(action: string): string | undefined {
  return (/"name" ?: ?"([^"]{1,100})"/.exec(action)?.[1] ?? /[\p{L}\p{N}_]+/u.exec(action)?.[0])?.toLowerCase();
}

/**
 * Whether each of these steps is tied to the goal, over things that moves share. The goal's sentences are tied as moves are: one that has
 * nothing in common with the others, nor with what else was done, is not what the task is about.
 */
export function hangsTogether(
  { task, steps }: Trajectory,
  cited: readonly number[],
  verbsOfWorld: ReadonlySet<string>,
): boolean {
  const goal = task.goal.split(/(?<=[.!?。！？])\s+|[\n;|。！？]+/u).map((sentence) => wordsOf(sentence));
  const moves = steps.map(({ action }) => wordsOf(action));
  // Verbs stand in moves that have nothing to do with each other.
  const verbs = new Set([...goal, ...moves].map(([first]) => first));
  const nodes = [...goal, ...moves].map((words) => words.filter((word) => !verbs.has(word)));
  const parts = partsOf(nodes);
  const sizes = new Map<number, number>();
  for (const part of parts) sizes.set(part, (sizes.get(part) ?? 0) + 1);
  // The goal's own part, and where it has several the largest; the earlier one where they are alike.
  const own = parts.slice(0, goal.length).filter((_, at) => (nodes[at]?.length ?? 0) > 0);
  const main = own.toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0))[0];
  if (main === undefined) return true;
  return steps.every(({ index, action }, at) => {
    if (!cited.includes(index) || parts[goal.length + at] === main) return true;
    return (moves[at]?.length ?? 0) < LEAST_WORDS || verbsOfWorld.has(verbOf(action) ?? "");
  });
}

/** Different words that say something, in the form in which they are compared; numbers only where they are long enough to be a name. */
function wordsOf(text: string, leastDigits = 3): string[] {
  return [...new Set(cutWords(text).map(singular))].filter(
    (word) => !isFunctionWord(word) && !(/^\d+$/.test(word) && word.length < leastDigits),
  );
}

/** The number of the part that each node is in: nodes that share a word are in one. */
function partsOf(nodes: readonly (readonly string[])[]): number[] {
  const above = nodes.map((_, at) => at);
  const top = (at: number): number => {
    let now = at;
    while (above[now] !== now) now = above[now] as number;
    return now;
  };
  const owner = new Map<string, number>();
  for (const [at, words] of nodes.entries()) {
    for (const word of words) {
      const known = owner.get(word);
      if (known === undefined) owner.set(word, at);
      else above[top(at)] = top(known);
    }
  }
  return nodes.map((_, at) => top(at));
}
