/**
 * A world around a world (Skill1): the policy asks its library, chooses one of the skills it finds, acts with it, and writes
 * down a new one. Each of these is a step of the episode and names its segment, so that each can have credit of its own:
 *
 *   query  -> words to search for      select -> the number of a candidate      act -> the world's own steps
 *   write  -> what is to be remembered, once the world is over
 *
 * A library without a skill for such a goal has nothing to choose from: the episode then begins with acting. The shelf does not change while episodes
 * are under way; `foldVisits` brings it up to date afterwards.
 */
import { cutWords, wordSet } from "limbeck-base/base/words";
import type { Env, Episode } from "../../env/env.ts";
import { wrapEnv } from "../../env/wrap.ts";
import type { Writer } from "../../skill/skill.ts";
import { screenSkill } from "../../skill/screen/screen.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { withLayer, type Layer, type Layered } from "../layer.ts";
import { retrieve, sharedWords, type RetrieveOptions, type Shelf, type ShelfSkill } from "./shelf.ts";
import { avoidanceText, stepAdvice, workflowText } from "../../skill/statistics/wording.ts";

export interface SkillChoiceOptions {
  readonly shelf: Shelf;
  readonly retrieval: RetrieveOptions;
  /** Whether the episode ends with writing; evaluations do not write. */
  readonly writes: boolean;
  /** "listed": a word of the goal, a number, one of some offered texts. "free": whatever the policy says. */
  readonly answers: "listed" | "free";
  /** Share of the goal's words that the goal of a skill must have for the skill to be found. Default: 0, any skill. */
  readonly likeness?: number;
  /** Whether the chosen skill stands in every observation, for policies that see one prompt a step. Default: only once. */
  readonly remind?: boolean;
  /** With listed answers: a model whose query and whose text are among what is listed. Default: none. */
  readonly writer?: Writer | undefined;
}

type Segment = "query" | "select" | "act" | "write";

interface State {
  readonly segment: Segment | "over";
  readonly steps: number;
  readonly candidates: readonly ShelfSkill[];
  readonly chosen: ShelfSkill | undefined;
  readonly deeds: readonly Deed[];
  /** What the writer would search for, and what it wrote of the episode. */
  readonly query: string | undefined;
  readonly text: string | undefined;
}

/** Steps beside the world's own: one for each other segment, and some for answers that could not be read. */
const MORE_STEPS = 6;
const LONGEST_SKILL = 2_000;

/**
 * The world, in which a policy first chooses one of its skills and writes a new one at the end.
 *
 * @example
 * import { visitOf } from "limbeck/search";
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 *
 * const skill = { id: 7, scenario: "numbers and a target", text: "Try to add all.", utility: 0.5, uses: 1 };
 * const plan = { shelf: { skills: [skill], next: 8 }, retrieval: { bonus: 0 }, writes: false, answers: "free" } as const;
 * const world = withSkillChoice(await openEnv("countdown", { level: "easy" }), plan);
 * const policy = createScriptedPolicy({ script: ({ index }) => ["target", "1", "<answer>10 + 9 + 4</answer>"][index] ?? "" });
 * const { trajectories } = await rollout({ env: world, policy, dialect: plainDialect(policy.tokenizer), tasks: 1, group: 1 });
 * console.log(trajectories.map(visitOf)[0]?.chosen, trajectories[0]?.success); // 7 true
 */
export function withSkillChoice(env: Env, options: SkillChoiceOptions): Env {
  return wrapEnv(env, (episode) => episode, {
    maxSteps: env.maxSteps + MORE_STEPS,
    open: async (task, given) => {
      const fitting = fittingSkills(options, task);
      const segment = fitting.skills.length === 0 ? "act" : "query";
      const choice = { ...options, shelf: fitting, task, maxSteps: env.maxSteps + MORE_STEPS };
      const inner = await env.open(task, given);
      const writer = options.answers === "listed" && segment === "query" ? options.writer : undefined;
      const query = writer === undefined ? undefined : await writtenQuery(writer, task, inner.observation);
      const start = {
        segment,
        steps: 0,
        candidates: [],
        chosen: undefined,
        deeds: [],
        query,
        text: undefined,
      } as const;
      return withLayer<State>(inner, task, start, (world) => choiceOver(world, choice));
    },
  });
}

/** Skills that were written for such a goal. */
function fittingSkills({ shelf, likeness = 0 }: SkillChoiceOptions, { goal }: Task): Shelf {
  return { ...shelf, skills: shelf.skills.filter((skill) => sharedWords(goal, skill) >= likeness) };
}

/** What an episode is given beside the world. */
interface Choice extends SkillChoiceOptions {
  readonly task: Task;
  readonly maxSteps: number;
}

/** The steps of choosing, acting and writing over a world. */
function choiceOver(inner: Episode, choice: Choice): Layer<State> {
  const { task, answers, maxSteps } = choice;
  return {
    observation: (state) => observationOf(inner, choice, state),
    stateKey: ({ segment, candidates, chosen, deeds }) => {
      const seen = segment === "select" ? candidates.map(({ id }) => id).join(" ") : "";
      const done = segment === "write" ? deeds.map(({ action }) => action).join("; ") : "";
      return [inner.stateKey, segment, seen, chosen?.id ?? "", done].join("\n");
    },
    // An episode that does not write in time has still done what the world says.
    ending: ({ segment, steps }) =>
      segment === "over" ? inner.ending : steps >= maxSteps ? (inner.ending ?? "truncated") : undefined,
    isFinal: ({ segment }, action, own) => segment === "act" && own(action),
    admissible: (state) => {
      if (state.segment === "act") return inner.admissible();
      if (answers === "free") return undefined;
      if (state.segment === "query") return queriesOf(task, state);
      return (state.segment === "select" ? state.candidates : offersIn(state)).map((_, at) => String(at + 1));
    },
    step: async (before, action, given) => {
      const { segment } = before;
      const state = { ...before, steps: before.steps + 1 };
      if (segment === "act") return await act(inner, choice, state, action, given);
      const moved = (segment === "query" ? query : segment === "select" ? select : write)(choice, state, action);
      return moved ?? { state, valid: false, info: { skill1: { segment } } };
    },
  };
}

function observationOf(inner: Episode, choice: Choice, state: State): string {
  const { segment, candidates, chosen, deeds } = state;
  if (segment === "query") return `${inner.observation}\n\nWhich skill may help? Say what to search for.`;
  if (segment === "select") return `Goal: ${choice.task.goal}\n${numbered(candidates.map(shown))}\nWhich skill?`;
  if (segment === "write") return `${outcomeLine(inner)}\n${writing(choice, deeds, offersIn(state))}`;
  const isTold = chosen !== undefined && (choice.remind === true || deeds.length === 0);
  return isTold ? `Skill: ${chosen.text}\n\n${inner.observation}` : inner.observation;
}

// What each segment makes of an answer; undefined where the answer cannot be read.

function query({ answers, task, shelf, retrieval }: Choice, state: State, text: string): Layered<State> | undefined {
  const isListed = answers === "free" || queriesOf(task, state).includes(text);
  if (!isListed || text.trim() === "") return undefined;
  const next: State = { ...state, segment: "select", candidates: retrieve(shelf, text, retrieval) };
  return { state: next, info: { skill1: { segment: "query", ...writtenBy(text, state.query) } } };
}

function select({ answers }: Choice, state: State, text: string): Layered<State> | undefined {
  const chosen = answers === "listed" && !/^\d$/.test(text) ? undefined : state.candidates[numberIn(text) - 1];
  if (chosen === undefined) return undefined;
  const candidates = state.candidates.map(({ id, utility }) => ({ id, utility }));
  const info = { skill1: { segment: "select", candidates, chosen: chosen.id, utility: chosen.utility } };
  return { state: { ...state, segment: "act", chosen }, info };
}

async function act(
  inner: Episode,
  { answers, writes, writer, task }: Choice,
  state: State,
  action: string,
  given: Parameters<Episode["step"]>[1],
): Promise<Layered<State>> {
  const { valid, reward, info } = await inner.step(action, given);
  const over = inner.ending !== undefined;
  // A world that was lost taught nothing.
  const segment = !over ? "act" : writes && inner.ending !== "failed" ? "write" : "over";
  const deeds = [...state.deeds, { action, valid }];
  const asked = segment === "write" && answers === "listed" ? writer : undefined;
  const text = asked === undefined ? undefined : await writtenSkill(asked, task, deeds, inner.success);
  return { state: { ...state, segment, deeds, text }, valid, reward, info: { ...info, skill1: { segment: "act" } } };
}

function write({ answers, task }: Choice, state: State, text: string): Layered<State> | undefined {
  const isListed = answers === "listed";
  const given = isListed ? offersIn(state)[numberIn(text) - 1] : text.trim().slice(0, LONGEST_SKILL);
  if (given === undefined || given === "" || (isListed && !/^\d$/.test(text))) return undefined;
  // Goal and text stand in later prompts, and either may hold what another has written.
  const concerns = screenSkill([task.goal, given], { goals: [task.goal] });
  const kept = concerns.length === 0 ? { written: { scenario: task.goal, text: given } } : { concerns };
  const info = { skill1: { segment: "write", ...kept, ...writtenBy(given, state.text) } };
  return { state: { ...state, segment: "over" }, info };
}

/** Whether it is the writer's text that was taken. */
function writtenBy(given: string, text: string | undefined): JsonObject {
  return given === text ? { writtenBy: "model" } : {};
}

function offersIn({ text, deeds }: State): string[] {
  return [...new Set([...(text === undefined ? [] : [text]), ...offersOf(deeds)])];
}

/** What a listed query may be: the writer's, or a word of the goal. */
function queriesOf({ goal }: Task, { query: written }: State): string[] {
  const found = [...wordSet(goal)];
  return [...new Set([...(written === undefined ? [] : [written]), ...(found.length > 0 ? found : ["anything"])])];
}

function numberIn(text: string): number {
  return Number(/\d+/.exec(text)?.[0] ?? Number.NaN);
}

function shown({ scenario, text }: ShelfSkill): string {
  return `${oneLine(scenario)} -> ${oneLine(text)}`;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

function numbered(texts: readonly string[]): string {
  return texts.map((text, at) => `${at + 1}: ${text}`).join("\n");
}

function outcomeLine({ observation, success }: Episode): string {
  return `${observation}\n\nThe task is over${success === null ? "" : success ? ": solved" : ": not solved"}.`;
}

function writing({ answers, remind }: SkillChoiceOptions, deeds: readonly Deed[], offers: readonly string[]): string {
  if (answers === "free") {
    // Who sees one prompt a step has forgotten what it did.
    const done = remind === true ? `What was done: ${oneLine(deeds.map(({ action }) => action).join("; "))}.\n` : "";
    return `${done}Write down in a few words what helps with such a task next time.`;
  }
  return `${numbered(offers)}\nWhich is to be remembered?`;
}

// What can be written down of an episode, in the statistics analyst's words or in a text model's: a choice for policies too small to write.

export interface Deed {
  readonly action: string;
  readonly valid: boolean;
}

/**
 * Always the same kinds in the same order, whatever the outcome was: that it worked, that it was tried in vain, and its last
 * action alone. Which of them is true is for the policy to learn. Equal texts are offered once; at least one is.
 */
export function offersOf(deeds: readonly Deed[]): string[] {
  const done = deeds.filter(({ valid }) => valid).map(({ action }) => action);
  const last = done.at(-1);
  const texts = [workflowText(done), avoidanceText({ tried: done }), last === undefined ? "" : stepAdvice(last)];
  const offered = [...new Set(texts.filter((text) => text !== ""))];
  return offered.length > 0 ? offered : ["Nothing was done."];
}

const LONGEST_QUERY = 80;
const MOST_WORDS = 12;
const LONGEST_WRITTEN = 400;
const QUERY_TOKENS = 32;
const SKILL_TOKENS = 160;

/** One line of a few words; undefined where the model gave none that can be used. */
export async function writtenQuery(
  writer: Writer,
  { goal }: Pick<Task, "goal">,
  observation: string,
): Promise<string | undefined> {
  const { value } = await writer.write<string>({
    kind: "query",
    wanted:
      "An agent has a library of short skills, each kept with the task that it was written for. Write what to search it for, before the task of the record: a few words on one line, and nothing else.",
    material: [`task: ${goal}`, `saw: ${observation}`],
    goal,
    maxTokens: QUERY_TOKENS,
    read: (text) => {
      const line = text.trim().replace(/^["'`]+|["'`.]+$/g, "");
      const words = cutWords(line, { lower: false });
      const fits = !/[\n\r]/.test(line) && line.length <= LONGEST_QUERY && words.length <= MOST_WORDS;
      return fits && words.length > 0 ? line : undefined;
    },
    textsOf: (text) => [text],
  });
  return value;
}

/** What helps with such a task next time; undefined where the model gave nothing that can be used. */
export async function writtenSkill(
  writer: Writer,
  { goal }: Pick<Task, "goal">,
  deeds: readonly Deed[],
  success: boolean | null,
): Promise<string | undefined> {
  const { value } = await writer.write<string>({
    kind: "skill",
    wanted:
      "Write down in a few words what helps with such a task next time, by what the record shows. The words alone, one line.",
    material: [
      `task: ${goal}`,
      ...deeds.map(({ action, valid }) => `did${valid ? "" : " (refused)"}: ${action}`),
      `outcome: ${success === null ? "open" : success ? "solved" : "not solved"}`,
    ],
    goal,
    maxTokens: SKILL_TOKENS,
    read: (text) => {
      const line = text.replaceAll(/\s+/g, " ").trim();
      return line === "" || line.length > LONGEST_WRITTEN ? undefined : line;
    },
    textsOf: (text) => [text],
  });
  return value;
}
