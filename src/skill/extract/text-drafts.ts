/** Drafts from what a model wrote about episodes: sentences, put into the words of the shape and gathered by likeness. */
import type { Evidence, Analyst, Skill } from "../skill.ts";
import { escapeForPattern, membersByTask, type ShapeGroup } from "./goal-shapes.ts";
import { draft, type Draft, type Drafted } from "./way-drafts.ts";
import { jaccard, wordSet } from "./words.ts";

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
