/**
 * A world around a world (Maestro): at each step the policy acts by itself, asks one of several experts, or stops. What an
 * expert costs is taken from the reward, so that the outcome alone teaches whom to ask, and when nobody is needed.
 *
 *   ask NAME            asks with the goal as the question;   ask NAME: QUESTION   with another
 *   stop                ends the episode as it stands
 *   anything else       is an action of the world
 *
 * Experts stand in the prompt by name, price and description, in an order that the task decides: a policy cannot learn their
 * places, and one that was added after the training can be asked like any other.
 */
import { createRng, EngineError, errorData, isAbort, shuffle, type PlainError } from "../base/index.ts";
import { episodeClosed, episodeEnded, type Env, type Episode, type Seen, type StepResult } from "../env/index.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import {
  scored,
  scoreValue,
  unscored,
  type Ending,
  type JsonObject,
  type Score,
  type Task,
} from "../trajectory/index.ts";
import type { Advice, Expert } from "./expert.ts";
import { checkExperts, expertLines } from "./registry-text.ts";

export interface OrchestrationOptions {
  readonly experts: readonly Expert[];
  /** How much of the reward one unit of price takes. Default: 0.1. */
  readonly costWeight?: number;
  /** "acts": the expert takes its actions itself. "advises": its words are the next observation. */
  readonly role?: "acts" | "advises";
  /** Most actions that an expert takes in one call. Default: 1, null: to the end of the episode. */
  readonly turns?: number | null;
  /** Calls of one episode. Default: 8. */
  readonly mostCalls?: number;
  /** Whether the policy may act in the world by itself. Default: yes. */
  readonly actsItself?: boolean;
  /** Whether the list stands in every observation, for policies that see one prompt a step. Default: only the first. */
  readonly remind?: boolean;
}

/** A world whose policy can ask experts. */
export interface OrchestratedEnv extends Env {
  readonly experts: readonly Expert[];
}

interface Plan extends Required<OrchestrationOptions> {
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
  /** What an expert said or did, until the policy acts by itself. */
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
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 *
 * const advise = () => Promise.resolve({ text: "Add all.", action: "<answer>10 + 9 + 4</answer>" });
 * const sage = { name: "Sage", model: "own", skill: "sums", description: "Knows sums.", price: 2, advise };
 * const world = withExperts(await openEnv("countdown", { level: "easy" }), { experts: [sage], costWeight: 0.1 });
 * const policy = createScriptedPolicy({ script: () => "ask Sage" });
 * const { trajectories } = await rollout({ env: world, policy, dialect: plainDialect(policy.tokenizer), tasks: 1, group: 1 });
 * console.log(trajectories[0]?.success, trajectories[0]?.reward); // true { kind: "scored", value: 0.8 }
 */
export function withExperts(env: Env, options: OrchestrationOptions): OrchestratedEnv {
  const { costWeight = 0.1, role = "acts", turns = 1, mostCalls = 8, actsItself = true, remind = false } = options;
  const experts = checkExperts(options.experts);
  if (!(Number.isFinite(costWeight) && costWeight >= 0)) {
    throw new EngineError("bad-option", `costWeight is ${costWeight}; it must be a number of at least 0.`);
  }
  if (![turns ?? 1, mostCalls].every((count) => Number.isInteger(count) && count >= 1)) {
    throw new EngineError(
      "bad-option",
      `turns is ${turns} and mostCalls ${mostCalls}; both must be whole numbers of at least 1.`,
    );
  }
  const plan = { experts, costWeight, role, turns, mostCalls, actsItself, remind };
  const orchestrated = wrapEnv(env, (episode) => episode, {
    maxSteps: env.maxSteps + mostCalls,
    open: async (task, given) => {
      const inner = await env.open(task, given);
      const listed = shuffle(experts, createRng(`${task.id} ${task.seed} experts`));
      const past = [seenNow(inner, undefined)];
      const nothing = { advice: undefined, refusal: undefined, stopped: false, failure: undefined };
      const start = { steps: 0, calls: [], cost: 0, past, ...nothing };
      return orchestrate(inner, task, { ...plan, listed }, env.maxSteps + mostCalls, start);
    },
  });
  return { ...orchestrated, experts };
}

export function isOrchestrated(env: Env): env is OrchestratedEnv {
  return "experts" in env && Array.isArray(env.experts);
}

function orchestrate(inner: Episode, task: Task, plan: Plan, maxSteps: number, start: State): Episode {
  let state = start;
  let closed = false;
  const ending = (): Ending | undefined => {
    if (state.failure !== undefined) return "failed";
    if (inner.ending !== undefined) return inner.ending;
    return state.stopped ? "terminated" : state.steps >= maxSteps ? "truncated" : undefined;
  };
  const success = (): boolean | null => (ending() === undefined ? inner.success : (inner.success ?? false));
  const price = (units: number): number => (units === 0 ? 0 : -plan.costWeight * units);
  const reward = (): Score => {
    if (state.failure !== undefined) return unscored(`an expert failed: ${state.failure.message}`);
    const world = scoreValue(inner.reward);
    return world === undefined ? inner.reward : scored(world + price(state.cost));
  };
  const observation = (): string => {
    const told = state.refusal ?? state.advice;
    const world = told === undefined ? inner.observation : `${inner.observation}\n\n${told}`;
    return plan.remind || state.steps === 0 ? `${world}\n\n${expertLines(plan)}` : world;
  };
  const result = (given: Partial<StepResult>): StepResult => {
    const [end, solved] = [ending(), success()];
    return { observation: observation(), reward: scored(0), valid: true, ...given, ending: end, success: solved };
  };

  const ask = async (expert: Expert, query: string, signal: AbortSignal | undefined): Promise<StepResult> => {
    const rng = createRng(`${task.id} ${task.seed} ${expert.name} ${state.past.length} ${state.calls.length}`);
    const most = plan.role === "advises" ? 1 : (plan.turns ?? Number.POSITIVE_INFINITY);
    const taken: string[] = [];
    let [earned, past, advice] = [0 as number | undefined, state.past, undefined as Advice | undefined];
    try {
      for (let turn = 0; turn < most && inner.ending === undefined; turn += 1) {
        advice = await expert.advise({ task, query, past, rng: rng.split(String(turn)), signal });
        if (plan.role === "advises" || advice.action === undefined) break;
        const step = await inner.step(advice.action, signal === undefined ? {} : { signal });
        taken.push(advice.action);
        const value = scoreValue(step.reward);
        earned = earned === undefined || value === undefined ? undefined : earned + value;
        past = [...past, seenNow(inner, advice.action)];
      }
    } catch (error) {
      if (isAbort(error)) throw error;
      state = { ...state, steps: state.steps + 1, failure: errorData(error) };
      return result({ reward: unscored(`the expert ${expert.name} failed`) });
    }
    const said =
      taken.length > 0 ? `${expert.name} did: ${taken.join("; ")}.` : `${expert.name} says: ${advice?.text ?? ""}`;
    state = {
      ...state,
      steps: state.steps + 1,
      calls: [...state.calls, expert.name],
      cost: state.cost + expert.price,
      past,
      advice: said,
      refusal: undefined,
    };
    const note: JsonObject = { expert: expert.name, query, price: expert.price, actions: taken };
    const paid = earned === undefined ? unscored("the world was lost") : scored(earned + price(expert.price));
    return result({ reward: paid, info: { orchestrate: note } });
  };

  const step: Episode["step"] = async (action, given) => {
    if (closed) throw episodeClosed(task);
    const end = ending();
    if (end !== undefined) throw episodeEnded(task, end);
    if (action === STOP) {
      state = { ...state, steps: state.steps + 1, stopped: true };
      return result({ info: { orchestrate: { stop: true } } });
    }
    const [, name, query = task.goal] = ASK.exec(action) ?? [];
    const expert = plan.experts.find((one) => one.name === name);
    if (expert !== undefined && state.calls.length < plan.mostCalls) return await ask(expert, query, given?.signal);
    if (name !== undefined || !plan.actsItself) {
      state = { ...state, steps: state.steps + 1, refusal: refusal(plan, name, state.calls.length) };
      return result({ valid: false });
    }
    const stepped = await inner.step(action, given);
    const advice = stepped.valid ? undefined : state.advice;
    const past = [...state.past, seenNow(inner, action)];
    state = { ...state, steps: state.steps + 1, past, advice, refusal: undefined };
    return { ...stepped, ...result({ reward: stepped.reward, valid: stepped.valid }) };
  };

  return wrapEpisode(inner, {
    task,
    get observation() {
      return observation();
    },
    get stateKey() {
      return [inner.stateKey, `calls ${state.calls.length}`, state.advice ?? ""].join("\n");
    },
    get ending() {
      return ending();
    },
    get reward() {
      return reward();
    },
    get success() {
      return success();
    },
    get failure() {
      return state.failure ?? inner.failure;
    },
    get irreversible() {
      const { irreversible: own } = inner;
      if (own === undefined) return undefined;
      // Nobody knows beforehand what an expert will do.
      const asks = (action: string): boolean => plan.role === "acts" && ASK.test(action);
      return (action: string) => ending() === undefined && (asks(action) || own(action));
    },
    admissible: () => {
      if (ending() !== undefined) return [];
      const own = plan.actsItself ? inner.admissible() : [];
      if (own === undefined) return undefined;
      const asked = state.calls.length < plan.mostCalls ? plan.listed.map(({ name }) => `ask ${name}`) : [];
      return [...asked, STOP, ...own.filter((action) => action !== STOP && !ASK.test(action))];
    },
    step,
    fork: async () => orchestrate(await inner.fork(), task, plan, maxSteps, state),
    close: async () => {
      closed = true;
      await inner.close();
    },
  });
}

function seenNow(episode: Episode, action: string | undefined): Seen {
  return { action, observation: episode.observation, admissible: episode.admissible() };
}

function refusal({ experts, mostCalls }: Plan, name: string | undefined, calls: number): string {
  if (name === undefined) return "Ask an expert, or stop.";
  if (calls >= mostCalls) return `All ${mostCalls} calls are used up.`;
  return `There is no such expert. Known: ${experts.map((one) => one.name).join(", ")}.`;
}
