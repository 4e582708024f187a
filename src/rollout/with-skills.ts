/**
 * A world in which skills can be written and called. `skill NAME: first; second` writes one: the world is not stepped.
 * `use NAME` carries out its actions one after another, up to the first that is refused, as one step of the episode.
 * Skills that the task brings along (data.skills) are shown at the opening.
 */
import { createHash } from "node:crypto";
import type { Env, Episode, StepResult } from "../env/env.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import { scored, scoreValue, unscored, type JsonObject, type Step, type Task } from "../trajectory/index.ts";

export interface WrittenSkill {
  readonly name: string;
  readonly actions: readonly string[];
}

/** Writing takes no step of the world, so it must have an end. */
const MOST_WRITTEN = 8;
const MOST_ACTIONS = 20;
const WRITE = /^skill ([A-Za-z][\w-]{0,39}): (.+)$/s;
const USE = /^use ([A-Za-z][\w-]{0,39})$/;

/** The skill that an action writes; undefined when it is none. */
export function readSkill(action: string): WrittenSkill | undefined {
  const [, name, body = ""] = WRITE.exec(action) ?? [];
  const actions = body.split(";").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  return name === undefined || actions.length === 0 || actions.length > MOST_ACTIONS ? undefined : { name, actions };
}

/** A task with these skills to call: another task, so that it has an id of its own. */
export function withTaskSkills(task: Task, skills: readonly WrittenSkill[]): Task {
  if (skills.length === 0) return task;
  const listed = skills.map(({ name, actions }) => ({ name, actions: [...actions] }));
  const mark = createHash("sha256").update(JSON.stringify(listed)).digest("hex").slice(0, 8);
  return { ...task, id: `${task.id} with skills ${mark}`, data: { ...task.data, skills: listed } };
}

const MARK = / with skills [0-9a-f]{8}$/;

/** The task as the world knows it. */
function withoutSkills(task: Task): Task {
  if (task.data?.["skills"] === undefined) return task;
  const { data: { skills: _skills, ...data } = {}, ...bare } = task;
  const plain = { ...bare, id: task.id.replace(MARK, "") };
  return Object.keys(data).length === 0 ? plain : { ...plain, data };
}

/** What an episode has written, the last of each name, and which of the given skills it used to the end. */
export function skillsOf(steps: readonly Step[]): { readonly written: WrittenSkill[]; readonly used: string[] } {
  const written = new Map<string, WrittenSkill>();
  const used = new Set<string>();
  for (const { action, info } of steps) {
    const note = info?.["skill"] as
      | { readonly written?: string; readonly used?: string; readonly complete?: boolean }
      | undefined;
    const skill = note?.written === undefined ? undefined : readSkill(action);
    if (skill !== undefined) written.set(skill.name, skill);
    if (note?.used !== undefined && note.complete === true) used.add(note.used);
  }
  return { written: [...written.values()], used: [...used] };
}

/** The actions that solved a task, as a skill named after its goal; undefined where skills had a part in them. */
export function skillOfSuccess({ goal }: Task, steps: readonly Step[]): WrittenSkill | undefined {
  const actions = steps.filter(({ valid }) => valid).map(({ action }) => action.trim());
  const isPlain = steps.every(({ info }) => info?.["skill"] === undefined);
  const fits = actions.length > 0 && actions.length <= MOST_ACTIONS && actions.every((action) => !/[;\n]/.test(action));
  if (!isPlain || !fits) return undefined;
  const words = goal.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return { name: `do-${words.join("-")}`.slice(0, 40).replace(/-$/, ""), actions };
}

export function withSkills(env: Env): Env {
  return wrapEnv(env, (episode) => episode, {
    open: async (task, options) => {
      const skills = task.data?.["skills"];
      const inner = await env.open(withoutSkills(task), options);
      const known = Array.isArray(skills) ? (skills as unknown as WrittenSkill[]) : [];
      const listed = known.map(({ name, actions }) => `use ${name} (${actions.join("; ")})`).join("\n");
      const shown = listed === "" ? undefined : `${inner.observation}\n\nSkills:\n${listed}`;
      return skilled(inner, task, { library: new Map(known.map((skill) => [skill.name, skill])), written: 0, shown });
    },
  });
}

interface State {
  readonly library: ReadonlyMap<string, WrittenSkill>;
  readonly written: number;
  /** What the agent sees, where it is not what the world shows. */
  readonly shown: string | undefined;
}

function skilled(inner: Episode, task: Task, start: State): Episode {
  let state = start;
  const step: Episode["step"] = async (action, options) => {
    const skill = readSkill(action);
    if (skill !== undefined && state.written < MOST_WRITTEN && inner.ending === undefined) {
      const shown = `Skill ${skill.name} is written.`;
      state = { library: new Map(state.library).set(skill.name, skill), written: state.written + 1, shown };
      return noStep(inner, shown, { skill: { written: skill.name } });
    }
    const called = state.library.get(USE.exec(action)?.[1] ?? "");
    if (called === undefined) {
      state = { ...state, shown: undefined };
      return await inner.step(action, options);
    }
    const result = await callSkill(called, (one) => inner.step(one, options));
    state = { ...state, shown: result.observation };
    return result;
  };
  return wrapEpisode(inner, {
    task,
    get observation() {
      return state.shown ?? inner.observation;
    },
    admissible: () => {
      const listed = inner.admissible();
      return listed === undefined ? undefined : [...listed, ...[...state.library.keys()].map((name) => `use ${name}`)];
    },
    step,
    fork: async () => skilled(await inner.fork(), task, state),
  });
}

function noStep(inner: Episode, observation: string, info: JsonObject): StepResult {
  return { observation, reward: scored(0), valid: true, ending: undefined, success: inner.success, info };
}

async function callSkill(skill: WrittenSkill, step: (action: string) => Promise<StepResult>): Promise<StepResult> {
  const results: StepResult[] = [];
  for (const action of skill.actions) {
    const result = await step(action);
    results.push(result);
    if (!result.valid || result.ending !== undefined) break;
  }
  const last = results.at(-1) as StepResult;
  const values = results.map(({ reward }) => scoreValue(reward));
  const lost = values.includes(undefined);
  const complete = last.valid && (results.length === skill.actions.length || last.success === true);
  return {
    ...last,
    observation: results.map(({ observation }) => observation).join("\n"),
    reward: lost
      ? unscored("part of a skill was unscored")
      : scored(values.reduce<number>((sum, one) => sum + (one ?? 0), 0)),
    valid: complete,
    info: { ...last.info, skill: { used: skill.name, complete, steps: results.length } },
  };
}
