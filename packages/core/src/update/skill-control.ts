/**
 * Controls for skills: what is left of their effect when the text is wrong, empty or perfect. A method whose controls do
 * as well as itself does not owe its success to what the skills say.
 *
 * - random: the skill of another episode of the update, whatever its task
 * - other-task: the skill of an episode of another task
 * - empty: filler of as many tokens, at the same places
 * - oracle: what the world's own expert does in this very task, for the whole episode; no advice for single steps
 */
import { EngineError } from "limbeck-base/base/errors";
import { pick, type Rng } from "limbeck-base/base/rng";
import type { Dialect } from "limbeck-policy/policy/dialect";
import { createSkill } from "../skill/create-skill.ts";
import type { Analysis, Skill, SkillLevel } from "../skill/skill.ts";
import { workflowText } from "../skill/statistics/wording.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

export const SKILL_CONTROLS = ["none", "random", "other-task", "empty", "oracle"] as const;
export type SkillControl = (typeof SKILL_CONTROLS)[number];

/** The actions of an expert in a task; undefined where it failed. */
export type Solve = (task: Task) => Promise<readonly string[] | undefined>;

export interface ControlRequest {
  readonly kind: SkillControl;
  readonly episodes: readonly Trajectory[];
  readonly rng: Rng;
  readonly dialect: Dialect;
  readonly solve: Solve | undefined;
}

/** The same analyses with other texts; a failed analysis stays as it is. */
export async function controlSkills(
  analyses: ReadonlyMap<string, Analysis>,
  request: ControlRequest,
): Promise<ReadonlyMap<string, Analysis>> {
  if (request.kind === "none") return analyses;
  if (request.kind === "oracle") return await oracleSkills(analyses, request);
  const empty = request.kind === "empty";
  const other = empty ? fillers(request.dialect) : borrowed(analyses, request);
  return new Map(
    [...analyses].map(([id, analysis]) => {
      if (analysis.error !== undefined) return [id, analysis];
      const { episodeSkill, stepSkills, ...rest } = analysis;
      const episode = episodeSkill === undefined ? undefined : other(id, episodeSkill);
      const steps = [...stepSkills].flatMap(([step, skill]) => {
        const replaced = other(id, skill);
        return replaced === undefined ? [] : [[step, replaced] as const];
      });
      return [id, { ...rest, ...(episode === undefined ? {} : { episodeSkill: episode }), stepSkills: new Map(steps) }];
    }),
  );
}

/** Another text for a skill of this trajectory; undefined where there is none to be had. */
type Replace = (trajectory: string, skill: Skill) => Skill | undefined;

function borrowed(analyses: ReadonlyMap<string, Analysis>, { kind, episodes, rng }: ControlRequest): Replace {
  const tasks = new Map(episodes.map(({ id, task }) => [id, task.id]));
  const pool = (level: SkillLevel): { readonly from: string; readonly skill: Skill }[] =>
    [...analyses.values()].flatMap(({ trajectory, episodeSkill, stepSkills }) => {
      const own = level === "step" ? [...stepSkills.values()] : episodeSkill === undefined ? [] : [episodeSkill];
      return own.map((skill) => ({ from: trajectory, skill }));
    });
  const pools = { episode: pool("episode"), step: pool("step") };
  return (trajectory, { level }) => {
    const others = pools[level].filter(({ from }) =>
      kind === "random" ? from !== trajectory : tasks.get(from) !== tasks.get(trajectory),
    );
    return pick(others, rng)?.skill;
  };
}

const FILLER = "so";

function fillers(dialect: Dialect): Replace {
  const known = new Map<number, string>();
  return (_trajectory, { level, text, evidence }) => {
    const wanted = dialect.turn(text).length;
    const filler = known.get(wanted) ?? fillerOf(wanted, dialect);
    known.set(wanted, filler);
    return createSkill(level, filler, evidence);
  };
}

/** So many words that the message is as long in tokens as wanted, or as near to it as words allow. */
function fillerOf(wanted: number, dialect: Dialect): string {
  let best = FILLER;
  let words = 1;
  for (let length = dialect.turn(best).length; length < wanted; words += 1) {
    const text = Array.from({ length: words + 1 }, () => FILLER).join(" ");
    const next = dialect.turn(text).length;
    if (Math.abs(next - wanted) > Math.abs(length - wanted)) break;
    [best, length] = [text, next];
  }
  return best;
}

async function oracleSkills(
  analyses: ReadonlyMap<string, Analysis>,
  { episodes, solve }: ControlRequest,
): Promise<ReadonlyMap<string, Analysis>> {
  if (solve === undefined) {
    throw new EngineError(
      "bad-option",
      "skillControl=oracle needs a world with an expert who solves its tasks; this training has none.",
    );
  }
  const tasks = new Map(episodes.map(({ id, task }) => [id, task]));
  const solved = new Map<string, readonly string[] | undefined>();
  const found = new Map<string, Analysis>();
  for (const [id, analysis] of analyses) {
    const task = tasks.get(id);
    if (task !== undefined && !solved.has(task.id)) solved.set(task.id, await solve(task));
    const actions = task === undefined ? undefined : solved.get(task.id);
    const { episodeSkill: _own, ...rest } = analysis;
    const episodeSkill =
      actions === undefined ? {} : { episodeSkill: createSkill("episode", workflowText(actions), []) };
    found.set(id, analysis.error === undefined ? { ...rest, ...episodeSkill, stepSkills: new Map() } : analysis);
  }
  return found;
}
