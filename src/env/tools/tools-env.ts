/** The environment: generated tasks by split, or your own, over the shop or over a server's tools. */
import type { Task, Step } from "../../trajectory/index.ts";
import { EngineError, throwIfAborted } from "../../base/index.ts";
import type { Env } from "../env.ts";
import { keepLatest } from "../keep-latest.ts";
import { listedTasks, numberedTasks } from "../task-file.ts";
import { Database, type BaseRows } from "./database.ts";
import { openEpisode } from "./episode.ts";
import { generateShop, type ShopSeed } from "./generate-database.ts";
import { generateTask, shopOf, type ToolsSplit } from "./generate-task.ts";
import { openingText, type OpeningOptions } from "./observation.ts";
import type { RewardForm } from "./reward.ts";
import { scenarioData, scenarioOf, type Scenario } from "./scenario.ts";
import { shopSession, type SessionSource } from "./session.ts";
import { chatDefinition, type ToolDefinition } from "./tool.ts";
import { applyCalls } from "./toolbox.ts";
import { opening } from "./user.ts";
import { POLICY_RULES, type PolicyRule } from "./policy.ts";

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
 * import type { Scenario } from "limbeck/env/tools";
 *
 * const requests = [{ kind: "question" as const, ask: "When do you open?", details: [], mentions: [] }];
 * const scenario: Scenario = { family: "hours", shop: null, identity: "I am Ada.", requests, reference: [], outputs: ["at nine"] };
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
