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
import { episodeClosed, episodeEnded, type Env, type Episode, type StepResult } from "../../env/index.ts";
import { wrapEnv, wrapEpisode } from "../../env/wrap.ts";
import type { Writer } from "../../skill/index.ts";
import { screenSkill } from "../../skill/screen/screen.ts";
import { scored, type Ending, type JsonObject, type Task } from "../../trajectory/index.ts";
import { offersOf, writtenQuery, writtenSkill, type Deed } from "./offers.ts";
import { retrieve, sharedWords, words, type RetrieveOptions, type Shelf, type ShelfSkill } from "./shelf.ts";

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
  /** With listed answers: a model whose query and whose text are among what is listed. Default: nobody. */
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
 * import { visitOf } from "limbeck/orchestrate";
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
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
      const own = { ...options, shelf: fitting };
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
      return choosing(inner, task, own, env.maxSteps + MORE_STEPS, start);
    },
  });
}

/** Skills that were written for such a goal. */
function fittingSkills({ shelf, likeness = 0 }: SkillChoiceOptions, { goal }: Task): Shelf {
  return { ...shelf, skills: shelf.skills.filter((skill) => sharedWords(goal, skill) >= likeness) };
}

function choosing(inner: Episode, task: Task, options: SkillChoiceOptions, maxSteps: number, start: State): Episode {
  let state = start;
  let closed = false;
  const ending = (): Ending | undefined => {
    if (state.segment === "over") return inner.ending;
    // Whoever does not write in time has still done what the world says.
    return state.steps >= maxSteps ? (inner.ending ?? "truncated") : undefined;
  };
  const success = (): boolean | null => (ending() === undefined ? inner.success : (inner.success ?? false));
  const offers = (): string[] => [
    ...new Set([...(state.text === undefined ? [] : [state.text]), ...offersOf(state.deeds)]),
  ];
  const queries = (): string[] => [
    ...new Set([...(state.query === undefined ? [] : [state.query]), ...queriesOf(task)]),
  ];
  const observation = (): string => {
    const { segment, candidates, chosen } = state;
    if (segment === "query") return `${inner.observation}\n\nWhich skill may help? Say what to search for.`;
    if (segment === "select") return `Goal: ${task.goal}\n${numbered(candidates.map(shown))}\nWhich skill?`;
    if (segment === "write") return `${outcomeLine(inner)}\n${writing(options, state.deeds, offers())}`;
    const told = chosen !== undefined && (options.remind === true || state.deeds.length === 0);
    return told ? `Skill: ${chosen.text}\n\n${inner.observation}` : inner.observation;
  };
  const result = (given: Partial<StepResult>, info: JsonObject): StepResult => ({
    observation: observation(),
    reward: scored(0),
    valid: true,
    ...given,
    ending: ending(),
    success: success(),
    info: { ...given.info, skill1: info },
  });
  const refused = (segment: Segment): StepResult => {
    state = { ...state, steps: state.steps + 1 };
    return result({ valid: false }, { segment });
  };

  const query = (text: string): StepResult => {
    const listed = options.answers === "listed" && !queries().includes(text);
    if (listed || text.trim() === "") return refused("query");
    const candidates = retrieve(options.shelf, text, options.retrieval);
    state = { ...state, segment: "select", steps: state.steps + 1, candidates };
    return result({}, { segment: "query", ...(text === state.query ? { writtenBy: "model" } : {}) });
  };
  const select = (text: string): StepResult => {
    const chosen =
      options.answers === "listed" && !/^\d$/.test(text) ? undefined : state.candidates[numberIn(text) - 1];
    if (chosen === undefined) return refused("select");
    const candidates = state.candidates.map(({ id, utility }) => ({ id, utility }));
    state = { ...state, segment: "act", steps: state.steps + 1, chosen };
    return result({}, { segment: "select", candidates, chosen: chosen.id, utility: chosen.utility });
  };
  const act = async (action: string, given: Parameters<Episode["step"]>[1]): Promise<StepResult> => {
    const stepped = await inner.step(action, given);
    const over = inner.ending !== undefined;
    // A world that was lost taught nothing.
    const next = !over ? "act" : options.writes && inner.ending !== "failed" ? "write" : "over";
    const deeds = [...state.deeds, { action, valid: stepped.valid }];
    const writer = next === "write" && options.answers === "listed" ? options.writer : undefined;
    const text = writer === undefined ? undefined : await writtenSkill(writer, task, deeds, inner.success);
    state = { ...state, segment: next, steps: state.steps + 1, deeds, text };
    return result({ ...stepped, observation: observation() }, { segment: "act" });
  };
  const write = (text: string): StepResult => {
    const given = options.answers === "listed" ? offers()[numberIn(text) - 1] : text.trim().slice(0, LONGEST_SKILL);
    if (given === undefined || given === "" || (options.answers === "listed" && !/^\d$/.test(text)))
      return refused("write");
    // Goal and text stand in later prompts, and either may hold what somebody else wrote.
    const concerns = screenSkill([task.goal, given], { goals: [task.goal] });
    state = { ...state, segment: "over", steps: state.steps + 1 };
    const kept = concerns.length === 0 ? { written: { scenario: task.goal, text: given } } : { concerns };
    const by = given === state.text ? { writtenBy: "model" } : {};
    return result({}, { segment: "write", ...kept, ...by });
  };

  return wrapEpisode(inner, {
    task,
    get observation() {
      return observation();
    },
    get stateKey() {
      const { segment, candidates, chosen, deeds } = state;
      const seen = segment === "select" ? candidates.map(({ id }) => id).join(" ") : "";
      const done = segment === "write" ? deeds.map(({ action }) => action).join("; ") : "";
      return [inner.stateKey, segment, seen, chosen?.id ?? "", done].join("\n");
    },
    get ending() {
      return ending();
    },
    get success() {
      return success();
    },
    get irreversible() {
      const { irreversible: own } = inner;
      return own === undefined ? undefined : (action: string) => state.segment === "act" && own(action);
    },
    admissible: () => {
      if (ending() !== undefined) return [];
      if (state.segment === "act") return inner.admissible();
      if (options.answers === "free") return undefined;
      if (state.segment === "query") return queries();
      return (state.segment === "select" ? state.candidates : offers()).map((_, at) => String(at + 1));
    },
    step: async (action, given) => {
      if (closed) throw episodeClosed(task);
      const end = ending();
      if (end !== undefined) throw episodeEnded(task, end);
      if (state.segment === "query") return query(action);
      if (state.segment === "select") return select(action);
      return state.segment === "write" ? write(action) : await act(action, given);
    },
    fork: async () => choosing(await inner.fork(), task, options, maxSteps, state),
    close: async () => {
      closed = true;
      await inner.close();
    },
  });
}

/** What a listed query may be: a word of the goal. */
function queriesOf({ goal }: Task): string[] {
  const found = [...new Set(words(goal))];
  return found.length > 0 ? found : ["anything"];
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
