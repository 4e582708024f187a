/** Drafts from what episodes did: the common way of a shape, and what is in vain everywhere. */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { type Link, NO_STATISTICS } from "../library/library-skill.ts";
import type { NewSkill } from "../library/library.ts";
import type { Analyst, Evidence, Skill } from "../skill.ts";
import { findFaults } from "../statistics/faults.ts";
import { readMoves, hasSucceeded } from "../statistics/transitions.ts";
import { avoidanceText, LEADS } from "../statistics/wording.ts";
import { findWorkflow } from "../statistics/workflow.ts";
import { generalise, type GeneraliseOptions, sayPatterns, type Way } from "./generalise.ts";
import { escapeForPattern, membersByTask, type ShapeGroup } from "./goal-shapes.ts";
import { jaccard, wordSet } from "./words.ts";

/** A skill without a name yet, and how many tasks have shown it. */
export type Draft = NewSkill & { readonly tasks: number };

export interface Drafted {
  readonly drafts: readonly Draft[];
  /** Why episodes gave nothing, by id. */
  readonly nothing: ReadonlyMap<string, string>;
}

type Member = ShapeGroup["members"][number];

/** One draft for the shape, where most of its successful tasks have something in common. */
export function draftsOfWays(
  group: ShapeGroup,
  options: GeneraliseOptions & { readonly passing: ReadonlySet<string> },
): Drafted {
  const nothing = new Map<string, string>();
  const ways = membersByTask(group).flatMap((own) => {
    const way = wayOf(own, options.passing);
    if (way !== undefined) return [way];
    for (const { trajectory } of own) nothing.set(trajectory.id, "nobody succeeded in its task");
    return [];
  });
  const patterns = generalise(ways, options);
  if (patterns.length === 0) return { drafts: [], nothing };
  const text = `${LEADS.worked}: ${sayPatterns(patterns)}.`;
  return {
    drafts: [
      draft(
        "task",
        text,
        [group.shape],
        patterns.flatMap(({ links }) => links),
        ways.length,
      ),
    ],
    nothing,
  };
}

/** A few episodes of one task may not show that walking passes; all of them together do. */
export function wayOf(members: readonly Member[], passing: ReadonlySet<string>): Way | undefined {
  const group = members.map(({ trajectory }) => trajectory);
  const moves = readMoves(group);
  const workflow = findWorkflow(group, moves);
  const [first] = members;
  if (workflow === undefined || first === undefined) return undefined;
  return {
    task: first.trajectory.task.id,
    values: first.values,
    moves: workflow.moves,
    passing: new Set([...passing, ...moves.passing]),
  };
}

/** Share of the failed episodes that must have done it, and shapes in which it must have been in vain. */
const COMMON = 0.3;
const LEAST_SHAPES = 2;
const MOST_WARNINGS = 3;

/** What failed episodes of several shapes did in vain, and no way to success contains. */
export function warningsOf(groups: readonly ShapeGroup[]): Draft[] {
  const failed = groups.flatMap(({ shape, members }) =>
    members.filter(({ trajectory }) => !hasSucceeded(trajectory)).map(({ trajectory }) => ({ shape, trajectory })),
  );
  const right = new Set(
    groups.flatMap(({ members }) =>
      members.flatMap(({ trajectory }) => (hasSucceeded(trajectory) ? cleanActions(trajectory) : [])),
    ),
  );
  const found = new Map<string, { kind: "refused" | "useless"; shapes: Set<string>; links: Link[] }>();
  for (const { shape, trajectory } of failed) {
    const faults = findFaults(readMoves([trajectory]).of.get(trajectory.id) ?? []);
    for (const kind of ["refused", "useless"] as const) {
      for (const { action, steps } of faults[kind]) {
        if (right.has(action)) continue;
        const known = found.get(action) ?? { kind, shapes: new Set<string>(), links: [] };
        found.set(action, known);
        known.shapes.add(shape);
        known.links.push({ trajectory: trajectory.id, steps });
      }
    }
  }
  const common = [...found]
    .filter(([, { shapes, links }]) => shapes.size >= LEAST_SHAPES && links.length >= COMMON * failed.length)
    .sort(([, one], [, other]) => other.links.length - one.links.length)
    .slice(0, MOST_WARNINGS);
  if (common.length === 0) return [];
  const of = (wanted: "refused" | "useless"): string[] =>
    common.flatMap(([action, { kind }]) => (kind === wanted ? [action] : []));
  const links = common.flatMap(([, fault]) => fault.links);
  const text = avoidanceText({ refused: of("refused"), useless: of("useless") });
  const tasks = new Set(
    failed
      .filter(({ trajectory }) => links.some((link) => link.trajectory === trajectory.id))
      .map(({ trajectory }) => trajectory.task.id),
  );
  return [draft("general", text, [], links, tasks.size)];
}

function cleanActions(trajectory: Trajectory): string[] {
  return (readMoves([trajectory]).of.get(trajectory.id) ?? [])
    .filter(({ wasted }) => wasted === undefined)
    .map(({ step }) => step.action);
}

export function draft(
  level: NewSkill["level"],
  text: string,
  goals: readonly string[],
  evidence: readonly Link[],
  tasks: number,
  source = "statistics",
): Draft {
  const about =
    goals[0] === undefined ? "For every task." : `For goals like ${JSON.stringify(goals[0].replace(/[.!?]$/, ""))}.`;
  return {
    name: "",
    description: `${about} ${text}`.replaceAll(/\s+/g, " ").slice(0, 400),
    level,
    status: "candidate",
    when: { goals },
    text,
    evidence,
    support: { successes: 0, failures: 0 },
    statistics: NO_STATISTICS,
    source,
    tasks,
  };
}

// Drafts from what a model wrote about episodes: sentences, put into the words of the shape and gathered by likeness.

/** From this likeness on, two sentences about one shape are two wordings of one lesson. */
const ALIKE = 0.5;
const STEP_SKILLS = 3;
const MOST_STEP_DRAFTS = 3;

interface Lesson {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly evidence: readonly Evidence[];
  readonly task: string;
  readonly trajectory: string;
  readonly state?: string;
}

export async function draftsOfTexts(
  shapeGroup: ShapeGroup,
  analyst: Analyst,
  { signal }: { readonly signal?: AbortSignal },
): Promise<Drafted> {
  const nothing = new Map<string, string>();
  const episodes: Lesson[] = [];
  const steps: Lesson[] = [];
  for (const own of membersByTask(shapeGroup)) {
    const group = own.map(({ trajectory }) => trajectory);
    const analyses = await analyst.analyse(group, { maxStepSkills: STEP_SKILLS, ...(signal && { signal }) });
    for (const { trajectory, error, episodeSkill, stepSkills } of analyses) {
      const member = own.find((one) => one.trajectory.id === trajectory);
      if (member === undefined) continue;
      if (error !== undefined) nothing.set(trajectory, `the analysis failed (${error.code})`);
      else if (episodeSkill === undefined && stepSkills.size === 0)
        nothing.set(trajectory, "the analyst found nothing");
      const lesson = (skill: Skill): Lesson => lessonOf(skill, member);
      if (episodeSkill !== undefined) episodes.push(lesson(episodeSkill));
      for (const [step, skill] of stepSkills) {
        const seen = member.trajectory.steps.find(({ index }) => index === step)?.observation ?? "";
        steps.push({ ...lesson(skill), state: seen.replaceAll(/\s+/g, " ").slice(0, 200) });
      }
    }
  }
  const drafts = [
    ...clusters(episodes).map((lessons) => toDraft("task", lessons, shapeGroup.shape)),
    ...clusters(steps)
      .sort((one, other) => other.length - one.length)
      .slice(0, MOST_STEP_DRAFTS)
      .map((lessons) => toDraft("step", lessons, shapeGroup.shape)),
  ];
  return { drafts, nothing };
}

function lessonOf(skill: Skill, { trajectory, values }: ShapeGroup["members"][number]): Lesson {
  let { text } = skill;
  for (const [at, value] of values.entries()) {
    text = text.replaceAll(
      new RegExp(`(?<![\\p{L}\\p{N}])${escapeForPattern(value)}(?![\\p{L}\\p{N}])`, "giu"),
      `{${at + 1}}`,
    );
  }
  return { text, words: wordSet(text), evidence: skill.evidence, task: trajectory.task.id, trajectory: trajectory.id };
}

/** First fit, as for states: each joins the first cluster whose first lesson it is like. */
function clusters(lessons: readonly Lesson[]): Lesson[][] {
  const found: Lesson[][] = [];
  for (const lesson of lessons) {
    const near = found.find(([first]) => first !== undefined && jaccard(first.words, lesson.words) >= ALIKE);
    if (near === undefined) found.push([lesson]);
    else near.push(lesson);
  }
  return found;
}

/** The wording that is most like all the others speaks for them. */
function toDraft(level: "task" | "step", lessons: readonly Lesson[], shape: string): Draft {
  const likeness = (lesson: Lesson): number =>
    lessons.reduce((sum, other) => sum + jaccard(lesson.words, other.words), 0);
  const [first, ...rest] = lessons as readonly [Lesson, ...Lesson[]];
  const spoken = rest.reduce((best, lesson) => (likeness(lesson) > likeness(best) ? lesson : best), first);
  const tasks = new Set(lessons.map(({ task }) => task)).size;
  const made = draft(
    level,
    spoken.text,
    [shape],
    lessons.flatMap(({ evidence }) => evidence),
    tasks,
    "model",
  );
  return spoken.state === undefined ? made : { ...made, when: { ...made.when, state: spoken.state } };
}
