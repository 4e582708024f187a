/** One conversation: the agent's actions in, the customer's words and tool results out. */
import { isAbort } from "../../base/index.ts";
import { scored, type JsonObject, type Task } from "../../trajectory/index.ts";
import type { Episode, OpenOptions } from "../env.ts";
import { episodeOf, lostState, openState, type PlainState } from "../episode-of.ts";
import { parseAction } from "./action.ts";
import { digest } from "./canonical.ts";
import { customerSays, errorSays, toolSays } from "./observation.ts";
import { POLICY_RULES, RETURN_DAYS, type PolicyRule } from "./policy.ts";
import { outputShare, REWARD_FORMS, saidOutputs, type RewardForm, type RewardParts } from "./reward.ts";
import type { Scenario } from "./scenario.ts";
import type { ToolSession } from "./session.ts";
import { unknownTool, TOOL_DEFINITIONS } from "./toolbox.ts";
import { replyTo, USER_START, type UserState } from "./user.ts";
import type { Database } from "./database.ts";
import { originalMethod, type Order } from "./retail.ts";

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

export function openEpisode(parts: EpisodeParts, opening: string): Episode {
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
 * Finds breaches of the policy, call by call. Pure: the state is a value and can be shared by forks.
 *
 * What it knows: who was identified, what the customer last agreed to (the agent's own message, when the answer was
 * yes), and the database before each call. A consent covers each change it names once and ends with the next message.
 */

export interface PolicyState {
  readonly customer: string | undefined;
  /** The message the customer agreed to. */
  readonly consent: string | undefined;
  /** Changes already made under it. */
  readonly used: readonly string[];
}

export const POLICY_START: PolicyState = { customer: undefined, consent: undefined, used: [] };

interface CheckedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** What the tool answered, as text. */
  readonly output: string;
}

const WRITES: ReadonlySet<string> = new Set(
  TOOL_DEFINITIONS.filter((tool) => tool.effect === "write" && !tool.ends).map((tool) => tool.name),
);
const AFTER_SALE: ReadonlySet<string> = new Set(["return_delivered_order_items", "exchange_delivered_order_items"]);

/** Notes the customer's answer to a message. */
export function afterMessage(state: PolicyState, message: string, agreed: boolean): PolicyState {
  return { ...state, consent: agreed ? message : undefined, used: [] };
}

/** Judges a call that was carried out; `before` is the database it found. Refused calls break nothing. */
export function afterCall(
  state: PolicyState,
  before: Database,
  call: CheckedCall,
): { readonly state: PolicyState; readonly violations: readonly PolicyRule[] } {
  if (call.name.startsWith("find_user_by_")) return identified(state, call.output);
  const order = before.order(textOf(call.arguments["order_id"]));
  const owner = order?.user_id ?? (textOf(call.arguments["user_id"]) || undefined);
  const writes = WRITES.has(call.name);
  const violations: PolicyRule[] = [...strangers(state, owner, writes)];
  if (!writes) return { state, violations };
  const target = order?.order_id ?? textOf(call.arguments["zip"]);
  const change = `${call.name} ${target}`;
  const named = state.consent?.toLowerCase().includes(target.toLowerCase()) === true;
  if (!named || state.used.includes(change)) violations.push("unconfirmed-write");
  if (order !== undefined) violations.push(...limits(order, before, call));
  return { state: { ...state, used: [...state.used, change] }, violations };
}

function identified(
  state: PolicyState,
  output: string,
): { readonly state: PolicyState; readonly violations: readonly PolicyRule[] } {
  const found = /"user_id":\s*"([^"]+)"/.exec(output)?.[1];
  if (found === undefined || found === state.customer) return { state, violations: [] };
  if (state.customer !== undefined) return { state, violations: ["second-customer"] };
  return { state: { ...state, customer: found }, violations: [] };
}

function strangers(state: PolicyState, owner: string | undefined, writes: boolean): PolicyRule[] {
  if (owner === undefined) return [];
  if (state.customer === undefined) return [writes ? "write-before-authentication" : "read-before-authentication"];
  return owner === state.customer ? [] : ["another-customer"];
}

function limits(order: Order, before: Database, call: CheckedCall): PolicyRule[] {
  const found: PolicyRule[] = [];
  if (call.name === "modify_pending_order_items" && order.items_modified) found.push("second-item-change");
  if (AFTER_SALE.has(call.name) && (order.delivered_days_ago ?? 0) > RETURN_DAYS) found.push("late-return");
  if (call.name === "return_delivered_order_items") {
    const id = textOf(call.arguments["payment_method_id"]);
    const method = before.user(order.user_id)?.payment_methods.find((candidate) => candidate.id === id);
    if (id !== originalMethod(order) && method?.source !== "gift_card") found.push("refund-elsewhere");
  }
  return found;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
