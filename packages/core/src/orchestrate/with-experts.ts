/**
 * A world around a world (Maestro): at each step the policy asks one of several experts, or stops, or, where it may, acts by
 * itself. The reward is the world's own, and 1 less for an episode in which no expert was asked, a call was not understood,
 * named no expert that is there, or nothing ended it. A price of asking is ours, and off.
 *
 *   ask NAME            asks with the goal as the question;   ask NAME: QUESTION   with another
 *   stop                ends the episode as it stands
 *   anything else       is an action of the world
 *
 * Experts stand in the prompt by name and description, in an order that the task decides: a policy cannot learn their
 * places, and one that was added after the training can be asked like any other.
 */
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError, errorData, isAbort, type PlainError } from "limbeck-base/base/errors";
import type { Env, Episode } from "../env/env.ts";
import type { Seen } from "../env/expert.ts";
import { wrapEnv } from "../env/wrap.ts";
import { scored, scoreValue, unscored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import type { Advice, Expert, Question } from "./expert.ts";
import { withLayer, type Layer, type Layered } from "./layer.ts";

export interface OrchestrationOptions {
  readonly experts: readonly Expert[];
  /** How much of the reward one unit of price takes; nothing in the published form. Default: 0. */
  readonly costWeight?: number;
  /** What an episode pays without a call, with a call that names nobody, or without an end of its own. Default: 1. */
  readonly formatPenalty?: number;
  /** "acts": the expert takes its actions itself. "advises": its words are the next observation. */
  readonly role?: "acts" | "advises";
  /** Most actions that an expert takes in one call. Default: null, to the end of the episode. */
  readonly turns?: number | null;
  /** Calls of one episode. Default: 4. */
  readonly mostCalls?: number;
  /** Whether the policy may act in the world by itself. Default: no. */
  readonly actsItself?: boolean;
  /** Whether the list stands in every observation, for policies that see one prompt a step. Default: only the first. */
  readonly remind?: boolean;
}

/** A world whose policy can ask experts. */
export interface OrchestratedEnv extends Env {
  readonly experts: readonly Expert[];
}

interface Plan extends Required<OrchestrationOptions> {
  /** Steps of an episode, calls included. */
  readonly maxSteps: number;
  /** What the policy is shown of them. */
  readonly listed: readonly Expert[];
}

/** What an episode knows beyond the world's own state. */
interface State {
  readonly steps: number;
  readonly calls: readonly string[];
  /** What calls have cost, in units of price. */
  readonly cost: number;
  readonly past: readonly Seen[];
  /** Whether an answer was no call, or named nobody. */
  readonly malformed: boolean;
  /** Whether an expert took the last step. */
  readonly handedOver: boolean;
  /** The output of an expert, until the policy acts by itself. */
  readonly advice: string | undefined;
  /** Why the last answer was refused. */
  readonly refusal: string | undefined;
  readonly stopped: boolean;
  readonly failure: PlainError | undefined;
}

const ASK = /^ask ([A-Za-z][A-Za-z0-9 -]{0,59}?)(?:: (.+))?$/s;
const STOP = "stop";

/**
 * The world, in which a policy may also ask the experts.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 *
 * const advise = () => Promise.resolve({ text: "Add all.", action: "<answer>10 + 9 + 4</answer>" });
 * const sage = { name: "Sage", model: "own", skill: "sums", description: "Knows sums.", price: 2, advise };
 * const world = withExperts(await openEnv("countdown", { level: "easy" }), { experts: [sage] });
 * const policy = createScriptedPolicy({ script: () => "ask Sage" });
 * const { trajectories } = await rollout({ env: world, policy, dialect: plainDialect(policy.tokenizer), tasks: 1, group: 1 });
 * console.log(trajectories[0]?.success, trajectories[0]?.reward); // true { kind: "scored", value: 1 }
 */
export function withExperts(env: Env, options: OrchestrationOptions): OrchestratedEnv {
  const { costWeight = 0, formatPenalty = 1, role = "acts", turns = null } = options;
  const { mostCalls = 4, actsItself = false, remind = false } = options;
  const experts = checkExperts(options.experts);
  for (const [name, value] of Object.entries({ costWeight, formatPenalty })) {
    if (!(Number.isFinite(value) && value >= 0)) {
      throw new EngineError("bad-option", `${name} is ${value}; it must be a number of at least 0.`);
    }
  }
  if (![turns ?? 1, mostCalls].every((count) => Number.isInteger(count) && count >= 1)) {
    throw new EngineError(
      "bad-option",
      `turns is ${turns} and mostCalls ${mostCalls}; both must be whole numbers of at least 1.`,
    );
  }
  const maxSteps = env.maxSteps + mostCalls;
  const given = { experts, costWeight, formatPenalty, role, turns, mostCalls, actsItself, remind, maxSteps };
  const orchestrated = wrapEnv(env, (episode) => episode, {
    maxSteps,
    open: async (task, opening) => {
      const inner = await env.open(task, opening);
      const listed = shuffle(experts, createRng(`${task.id} ${task.seed} experts`));
      const past = [seenNow(inner, undefined)];
      const nothing = { malformed: false, handedOver: false, stopped: false, advice: undefined, refusal: undefined };
      const start = { steps: 0, calls: [], cost: 0, past, ...nothing, failure: undefined };
      const plan = { ...given, listed };
      return withLayer<State>(inner, task, start, (world) => expertsOver(world, task, plan));
    },
  });
  return { ...orchestrated, experts };
}

export function isOrchestrated(env: Env): env is OrchestratedEnv {
  return "experts" in env && Array.isArray(env.experts);
}

/** The experts over a world. */
function expertsOver(inner: Episode, task: Task, plan: Plan): Layer<State> {
  const ending = (state: State): Ending | undefined => {
    if (state.failure !== undefined) return "failed";
    if (inner.ending !== undefined) return inner.ending;
    return state.stopped ? "terminated" : state.steps >= plan.maxSteps ? "truncated" : undefined;
  };
  // An expert that runs out of steps is a matter of the outcome; the form is what the policy itself wrote.
  const formOf = (state: State): number => {
    const end = ending(state);
    const isWrong = state.malformed || state.calls.length === 0 || (end === "truncated" && !state.handedOver);
    return end !== undefined && isWrong ? 0 - plan.formatPenalty : 0;
  };
  return {
    observation: ({ refusal: why, advice, steps }) => {
      const told = why ?? advice;
      const world = told === undefined ? inner.observation : `${inner.observation}\n\n${told}`;
      return plan.remind || steps === 0 ? `${world}\n\n${expertLines(plan)}` : world;
    },
    stateKey: ({ calls, advice }) => [inner.stateKey, `calls ${calls.length}`, advice ?? ""].join("\n"),
    ending,
    reward: (state) => {
      if (state.failure !== undefined) return unscored(`an expert failed: ${state.failure.message}`);
      return raised(inner.reward, priceOf(plan, state.cost) + formOf(state));
    },
    failure: ({ failure }) => failure ?? inner.failure,
    isFinal: (state, action, own) => {
      // What an expert will do is not known beforehand.
      const asks = plan.role === "acts" && ASK.test(action);
      return ending(state) === undefined && (asks || own(action));
    },
    admissible: ({ calls }) => {
      const own = plan.actsItself ? inner.admissible() : [];
      if (own === undefined) return undefined;
      const asked = calls.length < plan.mostCalls ? plan.listed.map(({ name }) => `ask ${name}`) : [];
      return [...asked, STOP, ...own.filter((action) => action !== STOP && !ASK.test(action))];
    },
    step: async (...move) => {
      const { reward = scored(0), ...result } = await stepOver(inner, task, plan, move);
      return { ...result, reward: raised(reward, formOf(result.state)) };
    },
  };
}

/** One answer of the policy: a stop, a call, something refused, or an action of the world. */
async function stepOver(
  inner: Episode,
  task: Task,
  plan: Plan,
  [before, action, given]: Parameters<Layer<State>["step"]>,
): Promise<Layered<State>> {
  const state = { ...before, steps: before.steps + 1, handedOver: false };
  if (action === STOP) return { state: { ...state, stopped: true }, info: { orchestrate: { stop: true } } };
  const [, name, query = task.goal] = ASK.exec(action) ?? [];
  const expert = plan.experts.find((one) => one.name === name);
  if (expert !== undefined && state.calls.length < plan.mostCalls) {
    return await askExpert(inner, plan, state, expert, { task, query, signal: given?.signal });
  }
  if (name !== undefined || !plan.actsItself) {
    const malformed = state.malformed || expert === undefined;
    return { state: { ...state, malformed, refusal: refusal(plan, name, state.calls.length) }, valid: false };
  }
  const { reward, valid, info } = await inner.step(action, given);
  const advice = valid ? undefined : state.advice;
  const past = [...state.past, seenNow(inner, action)];
  const next = { ...state, past, advice, refusal: undefined };
  return { state: next, reward, valid, ...(info === undefined ? {} : { info }) };
}

/** The same reward with something added, where there is one. */
function raised(reward: Score, by: number): Score {
  const value = scoreValue(reward);
  return value === undefined ? reward : scored(value + by);
}

/** What so many units of price take from the reward. */
function priceOf({ costWeight }: Plan, units: number): number {
  return units === 0 ? 0 : -costWeight * units;
}

/** One call of an expert, which says something or takes its actions itself; its price is paid either way. */
async function askExpert(
  inner: Episode,
  plan: Plan,
  state: State,
  expert: Expert,
  { task, query, signal }: Pick<Question, "task" | "query" | "signal">,
): Promise<Layered<State>> {
  const { name, price } = expert;
  const rng = createRng(`${task.id} ${task.seed} ${name} ${state.past.length} ${state.calls.length}`);
  const most = plan.role === "advises" ? 1 : (plan.turns ?? Number.POSITIVE_INFINITY);
  const actions: string[] = [];
  let [earned, past, advice] = [0 as number | undefined, state.past, undefined as Advice | undefined];
  try {
    for (let turn = 0; turn < most && inner.ending === undefined; turn += 1) {
      advice = await expert.advise({ task, query, past, rng: rng.split(String(turn)), signal });
      if (plan.role === "advises" || advice.action === undefined) break;
      const step = await inner.step(advice.action, signal === undefined ? {} : { signal });
      actions.push(advice.action);
      const value = scoreValue(step.reward);
      earned = earned === undefined || value === undefined ? undefined : earned + value;
      past = [...past, seenNow(inner, advice.action)];
    }
  } catch (error) {
    if (isAbort(error)) throw error;
    return { state: { ...state, failure: errorData(error) }, reward: unscored(`the expert ${name} failed`) };
  }
  const said = actions.length > 0 ? `${name} did: ${actions.join("; ")}.` : `${name} says: ${advice?.text ?? ""}`;
  const called = { calls: [...state.calls, name], cost: state.cost + price, past, handedOver: true };
  const reward = earned === undefined ? unscored("the world was lost") : scored(earned + priceOf(plan, price));
  const next = { ...state, ...called, advice: said, refusal: undefined };
  return { state: next, reward, info: { orchestrate: { expert: name, query, price, actions } } };
}

function seenNow(episode: Episode, action: string | undefined): Seen {
  return { action, observation: episode.observation, admissible: episode.admissible() };
}

function refusal({ experts, mostCalls }: Plan, name: string | undefined, calls: number): string {
  if (name === undefined) return "Ask an expert, or stop.";
  if (calls >= mostCalls) return `All ${mostCalls} calls are used up.`;
  return `There is no such expert. Known: ${experts.map((one) => one.name).join(", ")}.`;
}

// A registry of experts as the policy reads it, and what makes one impossible.

const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*$/;
const LONGEST_NAME = 60;

/** The same experts, or an error that names the one that cannot be called. */
export function checkExperts(experts: readonly Expert[]): readonly Expert[] {
  if (experts.length === 0) {
    throw new EngineError("no-experts", "There are no experts to ask; give at least one, or use the world as it is.");
  }
  const seen = new Set<string>();
  for (const { name, price } of experts) {
    if (!NAME.test(name) || name.length > LONGEST_NAME) {
      throw new EngineError(
        "bad-expert",
        `${JSON.stringify(name)} cannot be the name of an expert; allowed are letters and digits, parted by single hyphens or spaces, beginning with a letter, ${LONGEST_NAME} at most.`,
      );
    }
    if (seen.has(name))
      throw new EngineError("bad-expert", `Two experts are called "${name}"; give each its own name.`);
    if (!(Number.isFinite(price) && price >= 0)) {
      throw new EngineError("bad-expert", `The price of "${name}" is ${price}; it must be a number of at least 0.`);
    }
    seen.add(name);
  }
  return experts;
}

export interface ListOptions {
  readonly listed: readonly Expert[];
  /** Prices are named where they are paid. */
  readonly costWeight: number;
  readonly actsItself: boolean;
}

/** One line for each expert, in the order given, and what else can be done. */
export function expertLines({ listed, costWeight, actsItself }: ListOptions): string {
  const cost = (price: number): string => (costWeight > 0 ? ` (costs ${price})` : "");
  const lines = listed.map(({ name, price, description }) => `ask ${name}${cost(price)}: ${oneLine(description)}`);
  return ["Experts:", ...lines, actsItself ? "Or act yourself, or: stop" : "Or: stop"].join("\n");
}

/** Descriptions come from files: control characters and line breaks must not look like another expert. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
