/** The environment: generated tasks by split, or your own, over the shop or over a server's tools. */
import { EngineError, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import type { JsonObject } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import type { Step, Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, OpenOptions } from "limbeck-core/env/env";
import { episodeOf, lostState, openState, type PlainState } from "limbeck-core/env/episode-of";
import { keepLatest } from "limbeck-core/env/keep-latest";
import { listedTasks, numberedTasks } from "limbeck-core/env/task-file";
import { parseAction } from "limbeck-base/trajectory/tool-action";
import { digest } from "./canonical.ts";
import { type BaseRows, Database } from "./database.ts";
import { generateShop, type ShopSeed } from "./generate-database.ts";
import { generateTask, shopOf, type ToolsSplit } from "./generate-task.ts";
import { customerSays, errorSays, type OpeningOptions, openingText, toolSays } from "./observation.ts";
import { afterCall, afterMessage, POLICY_RULES, POLICY_START, type PolicyRule, type PolicyState } from "./policy.ts";
import { opening, replyTo, type Scenario, scenarioData, scenarioOf, USER_START, type UserState } from "./scenario.ts";
import { type SessionSource, shopSession, type ToolSession } from "./session.ts";
import { chatDefinition, type ToolDefinition } from "./tool.ts";
import { applyCalls, unknownTool } from "./toolbox.ts";

export interface ToolsOptions {
  readonly id?: string;
  readonly maxSteps?: number;
  /** Customers in a generated shop. Default: 64, 1,000 at most. */
  readonly users?: number;
  readonly reward?: RewardForm;
  /** Default: "full"; the world by its name has "dialogue", as its bundled model knows it. */
  readonly opening?: OpeningOptions["form"];
  /** Stands in the opening in place of the shop's policy. */
  readonly policy?: string;
  /** Your own tasks by split, in place of the generated ones. */
  readonly tasks?: Readonly<Record<string, readonly Task[]>>;
  /** Where calls are carried out. Default: the shop in this process. See `mcpSessions`. */
  readonly session?: SessionSource;
}

const SPLIT_SIZES: Readonly<Record<ToolsSplit, number>> = {
  train: Number.POSITIVE_INFINITY,
  valid: 1_000,
  test: 1_000,
};
const MAX_STEPS = 30;
/** Shops kept for the next task; one is about 300 kB. */
const SHOPS_KEPT = 8;

/**
 * Customers of a shop, served with tools under a policy.
 *
 * @example
 * const env = createTools();
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("Welcome. Who are you?")).observation); // Customer: I do not have the number at hand; it is the order with the Yoga Mat.
 * }
 */
export function createTools(options: ToolsOptions = {}): Env {
  const { id = "tools", maxSteps = MAX_STEPS, tasks: own, session: source } = options;
  const kept = keepLatest(SHOPS_KEPT, (shop) => generateShop(JSON.parse(shop) as ShopSeed));
  const shops = (shop: ShopSeed): BaseRows => kept(JSON.stringify(shop));
  const chat = chatCache();
  return {
    id,
    summary: "Serves a shop's customers with sixteen tools, by a policy, scored by the final database.",
    maxSteps,
    ...(own === undefined
      ? {
          splits: SPLIT_SIZES,
          tasks: (split, range) =>
            numberedTasks(id, SPLIT_SIZES, split, range, (index) => {
              const shop = shopOf(split as ToolsSplit, index, options.users);
              return generateTask(id, { split: split as ToolsSplit, index, shop }, shops(shop));
            }),
        }
      : listedTasks(id, own)),
    open: async (task, openOptions = {}) => {
      throwIfAborted(openOptions.signal);
      const scenario = scenarioOf(task);
      const database = scenario.shop === null ? undefined : new Database(shops(scenario.shop));
      // A reference that the shop refuses is a broken task, and better known now than at the end.
      if (database !== undefined) applyCalls(database, scenario.reference);
      const session = await (source ?? inProcess)(task, database, openOptions);
      const rules = { maxSteps, reward: options.reward ?? "exact", tools: chat(session.definitions) };
      const text = openingText(session.definitions, opening(scenario), {
        form: options.opening ?? "full",
        ...(options.policy === undefined ? {} : { policy: options.policy }),
      });
      return openEpisode({ task, scenario, session, rules }, text);
    },
  };
}

const inProcess: SessionSource = async (task, database) => {
  if (database !== undefined) return shopSession(database);
  throw new EngineError(
    "bad-task",
    `Task "${task.id}" names no shop, so its tools must come from a server. Give createTools a session, for example mcpSessions.`,
  );
};

/** One list for all episodes with the same definitions. */
function chatCache(): (definitions: readonly ToolDefinition[]) => ReturnType<typeof chatDefinition>[] {
  const lists = new WeakMap<readonly ToolDefinition[], ReturnType<typeof chatDefinition>[]>();
  return (definitions) => {
    const list = lists.get(definitions) ?? definitions.map(chatDefinition);
    lists.set(definitions, list);
    return list;
  };
}

/**
 * A task for a hand-written scenario.
 *
 * @example
 * const requests = [{ kind: "question" as const, ask: "When do you open?", details: [], mentions: [] }];
 * const scenario = { family: "hours", shop: null, identity: "I am Ada.", requests, reference: [], outputs: ["at nine"] };
 * console.log(scenarioTask(scenario, { id: "mine/1", split: "mine" }).goal); // Serve the customer by the policy.
 */
export function scenarioTask(scenario: Scenario, parts: Pick<Task, "id" | "split"> & { readonly env?: string }): Task {
  const { id, split, env = "tools" } = parts;
  return { id, env, seed: 0, goal: "Serve the customer by the policy.", split, data: scenarioData(scenario) };
}

// Finds the policy breaches of a finished trajectory by playing its actions again: the world is deterministic.

export interface FoundViolation {
  readonly step: number;
  readonly rule: PolicyRule;
  readonly action: string;
}

/**
 * `steps` are those of the whole episode; for a branch, join it with its parent's first.
 *
 * @example
 * const { trajectories } = await rollout({ env: "tools", policy: "hasty", tasks: 1, group: 1 });
 * for (const trajectory of trajectories) console.log((await policyViolations(trajectory)).map(({ rule }) => rule)); // [ "unconfirmed-write" ]
 */
export async function policyViolations(trajectory: {
  readonly task: Task;
  readonly steps: readonly Pick<Step, "index" | "action">[];
}): Promise<FoundViolation[]> {
  const { task, steps } = trajectory;
  const env = createTools({ maxSteps: Math.max(1, steps.length) });
  const episode = await env.open(task);
  const found: FoundViolation[] = [];
  for (const { index, action } of steps) {
    if (episode.ending !== undefined) break;
    const { info } = await episode.step(action);
    const rules = info?.["violations"];
    for (const rule of Array.isArray(rules) ? rules : []) {
      if (isRule(rule)) found.push({ step: index, rule, action });
    }
  }
  await episode.close();
  return found;
}

function isRule(value: unknown): value is PolicyRule {
  return typeof value === "string" && Object.hasOwn(POLICY_RULES, value);
}

// One conversation: the agent's actions in, the customer's words and tool results out.

/** What all episodes of an environment share. */
interface EpisodeRules {
  readonly maxSteps: number;
  readonly reward: RewardForm;
  /** Definitions in the shape of chat services; one list for all episodes. */
  readonly tools: readonly JsonObject[];
}

/** Everything that moves. Each step replaces it, so a fork takes it as it is. */
interface Moment extends PlainState {
  /** The last observation that was not an error; what the state key sees. */
  readonly scene: string;
  readonly steps: number;
  readonly user: UserState;
  readonly policy: PolicyState;
  readonly violations: readonly PolicyRule[];
  readonly said: number;
}

/** What one action did. */
interface Outcome {
  readonly moment: Moment;
  readonly valid: boolean;
  readonly over: boolean;
  readonly info: JsonObject;
}

interface EpisodeParts {
  readonly task: Task;
  readonly scenario: Scenario;
  readonly session: ToolSession;
  readonly rules: EpisodeRules;
}

/** The tools' own state moves beside it, so a fork copies the session. */
interface State {
  readonly moment: Moment;
  readonly session: ToolSession;
}

function openEpisode(parts: EpisodeParts, opening: string): Episode {
  const moment: Moment = {
    ...openState(opening),
    scene: opening,
    steps: 0,
    user: USER_START,
    policy: POLICY_START,
    violations: [],
    said: 0,
  };
  return episodeOf<State>(
    parts.task,
    { moment, session: parts.session },
    {
      observation: ({ moment: { observation } }) => observation,
      /** The database, where the customer's script stands, and the last thing seen that was not an error. */
      stateKey: ({ moment: { user, scene }, session }) =>
        digest(`${session.stateHash}\n${JSON.stringify(user)}\n${scene}`),
      ending: ({ moment: { ending } }) => ending,
      reward: ({ moment: { reward } }) => reward,
      success: ({ moment: { success } }) => success,
      failure: ({ moment: { failure } }) => failure,
      tools: parts.rules.tools,
      irreversible: ({ moment: { ending }, session }, action) => {
        const parsed = ending === undefined ? parseAction(action) : undefined;
        if (parsed?.kind !== "call") return false;
        const definition = session.definitions.find(({ name }) => name === parsed.name);
        return definition?.irreversible === true;
      },
      step: async ({ moment: before, session }, action, options) => {
        const { next, valid, info } = await takeStep({ ...parts, session }, before, action, options);
        // All reward comes with the last step.
        const reward = next.ending === undefined ? scored(0) : next.reward;
        return { state: { moment: next, session }, valid, reward, info };
      },
      fork: async ({ moment: same, session }) => ({ moment: same, session: await session.fork() }),
      close: ({ session }) => session.close(),
    },
  );
}

async function takeStep(
  parts: EpisodeParts,
  moment: Moment,
  action: string,
  options: OpenOptions,
): Promise<{ readonly next: Moment; readonly valid: boolean; readonly info: JsonObject }> {
  try {
    const outcome = await act(parts, moment, action, options);
    const { next, info } = await judge(parts, outcome);
    return { next, valid: outcome.valid, info: { ...outcome.info, ...info } };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { next: lost(moment, error), valid: true, info: { kind: "failed" } };
  }
}

async function act(parts: EpisodeParts, moment: Moment, action: string, options: OpenOptions): Promise<Outcome> {
  const parsed = parseAction(action);
  if (parsed.kind === "malformed") return mistake(moment, parsed.reason, { kind: "malformed" });
  if (parsed.kind === "message") return tellCustomer(parts, moment, parsed.text);
  const { name, arguments: args } = parsed;
  const definition = parts.session.definitions.find((tool) => tool.name === name);
  if (definition === undefined) {
    const known = parts.session.definitions.map((tool) => tool.name);
    return mistake(moment, unknownTool(name, [...known, "respond"]), { kind: "unknown-tool" });
  }
  const before = parts.session.database;
  const reply = await parts.session.call(name, args, options);
  const info = { kind: "call", tool: name, effect: definition.effect, irreversible: definition.irreversible };
  if (!reply.ok) return mistake(moment, reply.text, { ...info, kind: "refused" });
  const call = { name, arguments: args, output: reply.text };
  const { state, violations } =
    before === undefined ? { state: moment.policy, violations: [] } : afterCall(moment.policy, before, call);
  const seen = toolSays(name, reply.text);
  return {
    moment: advance(moment, seen, { policy: state, violations: [...moment.violations, ...violations] }),
    valid: true,
    over: definition.ends,
    info:
      violations.length === 0
        ? info
        : { ...info, violations, brokenRules: violations.map((rule) => POLICY_RULES[rule]) },
  };
}

function tellCustomer(parts: EpisodeParts, moment: Moment, text: string): Outcome {
  const reply = replyTo(parts.scenario, moment.user, text);
  const changes = {
    user: reply.state,
    policy: afterMessage(moment.policy, text, reply.agreed),
    said: saidOutputs(text, parts.scenario.outputs, moment.said),
  };
  return {
    moment: advance(moment, customerSays(reply.text), changes),
    valid: true,
    over: reply.ends,
    info: { kind: "message" },
  };
}

function advance(moment: Moment, observation: string, changes: Partial<Moment>): Moment {
  return { ...moment, ...changes, observation, scene: observation, steps: moment.steps + 1 };
}

/** Costs a step and changes nothing else. */
function mistake(moment: Moment, reason: string, info: JsonObject): Outcome {
  const next = { ...moment, observation: errorSays(reason), steps: moment.steps + 1 };
  return { moment: next, valid: false, over: false, info };
}

async function judge(
  parts: EpisodeParts,
  { moment, over }: Outcome,
): Promise<{ readonly next: Moment; readonly info: JsonObject }> {
  const { maxSteps, reward } = parts.rules;
  if (!over && moment.steps < maxSteps) return { next: moment, info: {} };
  const rewardParts: RewardParts = {
    // An unfinished conversation has no final state.
    state: over && (await parts.session.matches(parts.scenario.reference)) ? 1 : 0,
    outputs: outputShare(parts.scenario.outputs, moment.said),
    policy: moment.violations.length === 0 ? 1 : 0,
  };
  const next: Moment = {
    ...moment,
    ending: over ? "terminated" : "truncated",
    reward: scored(REWARD_FORMS[reward](rewardParts)),
    success: REWARD_FORMS.exact(rewardParts) === 1,
  };
  return { next, info: { parts: { ...rewardParts }, allViolations: moment.violations } };
}

function lost(moment: Moment, error: unknown): Moment {
  const ended = lostState(error, "The tools stopped working.");
  return { ...moment, ...ended, observation: errorSays(ended.failure.message), steps: moment.steps + 1 };
}

/*
 * The reward: 1 when the final state is the reference's and every required output was given to the customer, else 0.
 *
 * The partial form, for denser learning: 0.5 state + 0.25 share of outputs given + 0.25 when no rule was broken.
 */

interface RewardParts {
  readonly state: 0 | 1;
  /** Share of the required outputs; 1 when none is required. */
  readonly outputs: number;
  readonly policy: 0 | 1;
}

export const REWARD_FORMS = {
  exact: ({ state, outputs }: RewardParts): number => (state === 1 && outputs === 1 ? 1 : 0),
  partial: ({ state, outputs, policy }: RewardParts): number => 0.5 * state + 0.25 * outputs + 0.25 * policy,
} as const;

type RewardForm = keyof typeof REWARD_FORMS;

/**
 * Whether a message says an output. Numbers are compared by value, so "24.5" and "$24.50" say 24.50 but "124.50" does
 * not; commas inside numbers are dropped. Other outputs must occur as whole words, in any case.
 */
export function says(message: string, output: string): boolean {
  const wanted = output.trim().toLowerCase();
  if (/^-?\d+(?:\.\d+)?$/.test(wanted)) {
    const numbers = message.replaceAll(/(?<=\d),(?=\d{3})/g, "").match(/\d+(?:\.\d+)?/g) ?? [];
    return numbers.some((text) => Number(text) === Math.abs(Number(wanted)));
  }
  const text = message.toLowerCase();
  const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + wanted.length])) return true;
  }
  return false;
}

/** The outputs given so far, as bits; outputs are at most 20. */
export function saidOutputs(message: string, outputs: readonly string[], said: number): number {
  return outputs.reduce((bits, output, index) => (says(message, output) ? bits | (1 << index) : bits), said);
}

export function outputShare(outputs: readonly string[], said: number): number {
  if (outputs.length === 0) return 1;
  return outputs.filter((_, index) => (said & (1 << index)) !== 0).length / outputs.length;
}
