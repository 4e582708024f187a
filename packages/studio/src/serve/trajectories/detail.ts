/** One trajectory: its outline, a window of its steps in full, its skills and its siblings. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { isFlat, scalesOf, type CreditRow } from "limbeck-store/report/credit";
import type { TokenTexts } from "limbeck-store/report/token-texts";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { Score, Step, Trajectory, Message } from "limbeck-base/trajectory/trajectory";
import type { JsonObject } from "limbeck-base/base/json";
import { sampledTokens } from "limbeck-base/trajectory/sampled-tokens";
import { OUTCOME_REWARDS } from "limbeck-base/trajectory/outcome";
import type {
  StepDetail,
  StepOutline,
  StepSkill,
  TrajectoryDetail,
  Sibling,
  StepTokens,
  ChatMessage,
} from "../api/trajectory.ts";
import { readGroupCredit } from "./credit.ts";
import { readDecisions, readMembers, lineOf, type GroupStep, type Member } from "./group-members.ts";
import { ITEM_COLUMNS, itemOf } from "./list.ts";
import { clip, longText } from "./long-text.ts";
import { readSkillsOf } from "./step-skills.ts";

const MEMBERS = 64;
const COMPARED_STEPS = 2_000;

/** Everything that is shown of a trajectory, read once; windows are cut from it. */
export interface TrajectoryView {
  readonly trajectory: Trajectory;
  readonly item: ReturnType<typeof itemOf>;
  readonly credit: ReadonlyMap<number, CreditRow>;
  readonly skills: readonly StepSkill[];
  readonly siblings: Siblings;
  readonly texts: TokenTexts | undefined;
  readonly calls: CallNames;
}

export async function readShown(
  store: Store,
  run: string,
  id: string,
  texts: Promise<TokenTexts | undefined>,
): Promise<TrajectoryView> {
  // The list first: it knows where in the run to look for the rest.
  const found = await store.list(
    `select ${ITEM_COLUMNS} from listed where run = ${quote(run)} and id = ${quote(id)} limit 1`,
    { run },
  );
  const row = found.rows[0];
  if (row === undefined) throw noTrajectory(run, id);
  const item = itemOf(row);
  const { group, update, phase } = item;
  const [trajectory, siblings, credit] = await Promise.all([
    readWhole(store, run, id),
    readSiblings(store, { run, group, update, phase }, id),
    readGroupCredit(store, { run, group, update, trajectory: id }),
  ]);
  if (trajectory === undefined) throw noTrajectory(run, id);
  const skills = await readSkillsOf(store, run, id, credit.whole);
  const calls = callNames(trajectory);
  return { trajectory, item, credit: credit.rows.get(id) ?? new Map(), skills, siblings, texts: await texts, calls };
}

async function readWhole(store: Store, run: string, id: string): Promise<Trajectory | undefined> {
  for await (const trajectory of store.trajectories({ run, ids: [id], limit: 1 })) return trajectory;
  return undefined;
}

function noTrajectory(run: string, id: string): EngineError {
  return new EngineError("no-trajectory", `There is no trajectory "${id}" in run "${run}".`, { details: { run, id } });
}

async function readSiblings(store: Store, scope: Parameters<typeof readMembers>[1], id: string): Promise<Siblings> {
  const { members } = await readMembers(store, scope, MEMBERS);
  const decisions = await readDecisions(store, scope.run, members, COMPARED_STEPS);
  return siblingsOf(id, members, decisions);
}

export function windowOf(shown: TrajectoryView, from: number, count: number): StepDetail[] {
  return shown.trajectory.steps.slice(from, from + count).map((step) => stepOf(shown, step));
}

function stepOf({ trajectory, credit, skills, siblings, texts, calls }: TrajectoryView, step: Step): StepDetail {
  const { index, prompt, reply } = step;
  return {
    index,
    observation: longText(step.observation),
    action: longText(step.action),
    valid: step.valid,
    reward: valueOf(step.reward),
    stateKey: step.stateKey,
    visits: siblings.visits.get(step.stateKey) ?? 1,
    prompt: prompt === undefined ? null : longText(prompt),
    messages: (step.messages ?? []).map((message) => messageOf(message, calls)),
    reply: reply === undefined ? null : messageOf(reply, calls),
    tokens: tokensOf(trajectory, step, credit.get(index), texts),
    skills: skills.filter((skill) => skill.step === index).map(({ id }) => id),
    rewards: trajectory.rewards.filter((reward) => reward.step === index).map(rewardOf),
    durationMs: step.timing?.durationMs ?? null,
    usage: {
      promptTokens: step.usage?.promptTokens ?? null,
      completionTokens: step.usage?.completionTokens ?? null,
      costUsd: step.usage?.costUsd ?? null,
    },
  };
}

export function detailOf(shown: TrajectoryView, from: number, count: number, playable: boolean): TrajectoryDetail {
  const { trajectory, item, credit, skills, siblings } = shown;
  const { failure, closing, usage = {}, info = {} } = trajectory;
  const rows = [...credit.values()];
  return {
    ...item,
    sampled: sampledTokens(trajectory) ?? item.sampled,
    goalText: longText(trajectory.task.goal),
    model: trajectory.policy.model ?? null,
    rewards: trajectory.rewards.filter(({ step }) => step === undefined).map(rewardOf),
    failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    closing: closing === undefined ? null : longText(closing.observation),
    usage: { ...usage },
    info: { ...info },
    outline: trajectory.steps.map((step) => outlineOf(shown, step)),
    from,
    window: windowOf(shown, from, count),
    skills: [...skills],
    siblings: [...siblings.siblings],
    scale: { ...scalesOf(rows), entropy: 1 },
    givenBy: givenBy(trajectory),
    hasCredit: rows.length > 0,
    flatCredit: isFlat(rows),
    playable,
  };
}

/** Source of verdict and reward: the last one of people and judges; null where they are as the episode was stored. */
function givenBy({ rewards }: Trajectory): TrajectoryDetail["givenBy"] {
  const last = (name: string): string | null =>
    rewards.findLast((one) => one.name === name && one.step === undefined && one.score.kind === "scored")?.source ??
    null;
  return { outcome: last(OUTCOME_REWARDS.success), reward: last(OUTCOME_REWARDS.score) };
}

function outlineOf({ credit, skills, siblings }: TrajectoryView, step: Step): StepOutline {
  const { index, span } = step;
  const advantages = credit.get(index)?.advantages ?? [];
  return {
    index,
    action: clip(step.action, 120),
    valid: step.valid,
    reward: valueOf(step.reward),
    tokens: span === undefined ? 0 : span.end - span.start,
    visits: siblings.visits.get(step.stateKey) ?? 1,
    advantage: advantages.length === 0 ? null : mean(advantages),
    skills: skills.filter((skill) => skill.step === index).length,
    error: hasError(step),
  };
}

export function rewardOf({
  name,
  source,
  score,
  step,
  comment,
}: Trajectory["rewards"][number]): TrajectoryDetail["rewards"][number] {
  return {
    name,
    source,
    value: valueOf(score),
    unscored: score.kind === "unscored" ? score.why : null,
    step: step ?? null,
    comment: comment ?? null,
  };
}

export function valueOf(score: Score): number | null {
  return score.kind === "scored" ? score.value : null;
}

// Others of the group beside one episode: what they shared and where they parted.

const SHOWN = 64;
const LETTERS = 200;

interface Siblings {
  readonly siblings: readonly Sibling[];
  /** How many episodes of the group stood in a state, by its key. */
  readonly visits: ReadonlyMap<string, number>;
}

function siblingsOf(
  id: string,
  members: readonly Member[],
  decisions: ReadonlyMap<string, readonly GroupStep[]>,
): Siblings {
  const byId = new Map(members.map((member) => [member.id, member]));
  const lines = new Map(members.map((member) => [member.id, lineOf(member.id, byId, decisions)]));
  const visits = new Map<string, number>();
  for (const line of lines.values()) {
    for (const key of new Set(line.map(({ stateKey }) => stateKey))) visits.set(key, (visits.get(key) ?? 0) + 1);
  }
  const own = lines.get(id) ?? [];
  const parent = byId.get(id)?.parent?.trajectory;
  const siblings = members
    .filter((member) => member.id !== id)
    .map((member): Sibling => {
      const theirs = lines.get(member.id) ?? [];
      const parting = partingOf(own, theirs);
      const [left, right] = [own[parting], theirs[parting]];
      const together = left !== undefined && right !== undefined && left.stateKey === right.stateKey;
      return {
        id: member.id,
        outcome: member.outcome,
        reward: member.reward,
        steps: member.steps,
        shared: parting,
        diverged: together
          ? { step: left.step, own: clip(left.action, LETTERS), theirs: clip(right.action, LETTERS) }
          : null,
        relation: member.id === parent ? "parent" : member.parent?.trajectory === id ? "child" : "sibling",
      };
    });
  return { siblings: siblings.sort((left, right) => right.shared - left.shared).slice(0, SHOWN), visits };
}

/** The first place where the two did something different or were somewhere else. */
function partingOf(left: readonly GroupStep[], right: readonly GroupStep[]): number {
  const most = Math.min(left.length, right.length);
  for (let at = 0; at < most; at += 1) {
    const [one, other] = [left[at], right[at]];
    if (one?.stateKey !== other?.stateKey || one?.action !== other?.action) return at;
  }
  return most;
}

// The tokens of one step with everything that is known of them.

function tokensOf(
  { streams }: Trajectory,
  { span }: Step,
  credit: CreditRow | undefined,
  texts: TokenTexts | undefined,
): StepTokens | null {
  const stream = span === undefined ? undefined : streams[span.stream];
  if (span === undefined || stream === undefined) return null;
  const { start, end } = span;
  const ids = [...stream.ids.subarray(start, end)];
  const probabilities = (values: Float32Array | undefined): number[] | null =>
    values === undefined ? null : Array.from(values.subarray(start, end), (value) => rounded(Math.exp(value)));
  // What was credited is aligned with the response; rows of another length belong to something else.
  const own = credit?.advantages.length === ids.length ? credit : undefined;
  const terms = own?.terms?.map(({ name, weight, value, values }) => ({
    name,
    weight,
    values: values ?? ids.map(() => value ?? 0),
  }));
  return {
    ids,
    texts: texts === undefined ? null : texts(ids),
    mask: [...stream.mask.subarray(start, end)],
    probability: probabilities(stream.logprobs),
    sampledProbability: probabilities(stream.sampledLogprobs),
    entropy: null,
    advantage: own?.advantages ?? null,
    terms: terms ?? null,
    shift: own?.shift ?? null,
    divergence: own?.divergence ?? null,
    teacher: own?.teacher === "step" || own?.teacher === "episode" ? own.teacher : null,
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

// Messages of a chat as a page shows them: text, never pictures or files.

/** Names of the calls of a trajectory by their ids, so that a result can say whose it is. */
type CallNames = ReadonlyMap<string, string>;

function messageOf(message: Message, names: CallNames): ChatMessage {
  const { role, reasoning, toolCalls = [], toolCallId } = message;
  return {
    role,
    content: longText(contentText(message)),
    reasoning: reasoning === undefined ? null : longText(reasoning),
    toolCalls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      name,
      arguments: longText(argumentText(given)),
    })),
    tool: role === "tool" ? (message.name ?? names.get(toolCallId ?? "") ?? null) : null,
    error: isError(message),
  };
}

function callNames({ steps }: Pick<Trajectory, "steps">): CallNames {
  const said = steps.flatMap(({ messages = [], reply }) => [...messages, ...(reply === undefined ? [] : [reply])]);
  return new Map(said.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));
}

/** Content and calls as one text, to search in. */
export function messageText(message: Message): string {
  const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => `${name} ${argumentText(given)}`);
  return [contentText(message), ...calls].join("\n");
}

/** Whether the step's observation reports that a call of the one before it failed. */
function hasError({ messages = [] }: Step): boolean {
  return messages.some(isError);
}

/** Importers write down what a format says of a call's outcome. */
function isError({ role, extra }: Message): boolean {
  const result = extra?.["result"];
  return role === "tool" && typeof result === "object" && result !== null && (result as JsonObject)["error"] === true;
}

function contentText({ content }: Message): string {
  return typeof content === "string" ? content : content.map(partText).join("\n");
}

function argumentText(given: JsonObject | string): string {
  return typeof given === "string" ? given : JSON.stringify(given, null, 1);
}

function partText(part: Readonly<Record<string, unknown>>): string {
  return typeof part["text"] === "string" ? part["text"] : JSON.stringify(part);
}
