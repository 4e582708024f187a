/**
 * Rollouts that trainers write as JSON lines: verl's `rollout_data_dir` ({input, output, gts, score, step}), and verifiers' two forms, by its source
 * (a60a606e): `results.jsonl` of environments of before ({example_id, prompt, completion, reward, metrics, error, …}, calls of tools as JSON
 * texts), and `traces.jsonl`, an episode a line with its traces, each a graph of messages.
 */
import type { JsonObject } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import { objectsOf, parseObject } from "limbeck-recorder/lines";
import { textOf } from "../../store/formats/chat-steps.ts";
import { contentHash } from "../../store/formats/identity.ts";
import { anyMessage } from "./any-message.ts";
import { Draft } from "./draft.ts";
import { numberField, objectField, restOf, stemOf, textField } from "./fields.ts";
import { sessionSource } from "./session-source.ts";

const FORMAT = "rollouts";
/** What a verifier says of the answer, beside the reward that is trained on. */
const VERDICTS = ["success", "acc", "correct", "is_correct"] as const;

export const rollouts = sessionSource({
  id: FORMAT,
  title: "verl and verifiers",
  versions:
    "rollout dumps of verl, and results and traces of verifiers, from their public sources (a60a606e, August 2026); not tried with a file of either",
  reads:
    "prompts with all their answers as one group, rewards and metrics by name, branches, what a verifier said where it is said, other columns as they are",
  leaves: "token ids and log-probabilities of traces; the other files have none",
  files: /\.jsonl$/,
  sign: /"output"\s*:.*"score"\s*:.*"step"\s*:|"completion"\s*:.*"reward"\s*:|"reward"\s*:.*"completion"\s*:|"task"\s*:.*"traces"\s*:\s*\[/s,
  open: (file) => {
    let row = 0;
    return {
      add: (value) => {
        const id = `${stemOf(file)}-${(row += 1)}`;
        return Array.isArray(value["traces"]) ? readEpisode(value, id) : [readRow(value, id)];
      },
      end: () => [],
    };
  },
});

function readRow(value: JsonObject, id: string): Draft {
  const [asked, answered] = [value["prompt"] ?? value["input"], value["completion"] ?? value["output"]];
  if (asked === undefined || (answered === undefined && value["error"] === undefined))
    throw new TypeError('a rollout has "input" and "output", or "prompt" and "completion"');
  const draft = new Draft(FORMAT, id, FORMAT);
  const goal = typeof asked === "string" ? asked : textField(objectsOf(asked).at(-1)?.["content"]);
  draft.facts.task = { id: `${FORMAT}-${contentHash(asked)}`, env: FORMAT, goal: (goal ?? "rollout").slice(0, 4_000) };
  draft.kept = restOf(value, "prompt", "input", "completion", "output") ?? {};
  sayFailure(draft, [value["error"]]);
  for (const [given, role, isPrompt] of [
    [asked, "user", true],
    [answered, "assistant", false],
  ] as const) {
    for (const raw of typeof given === "string" ? [{ role, content: given }] : objectsOf(given)) {
      const message = anyMessage(withCalls(raw), FORMAT);
      if (message === undefined) throw new TypeError("a message has a role: system, user, assistant or tool");
      draft.say({ message, ...(isPrompt && message.role === "assistant" ? { given: true } : {}) });
    }
  }
  const reward = numberField(value["reward"] ?? value["score"]);
  if (reward !== undefined) draft.rewards.push({ name: "score", source: FORMAT, score: scored(reward) });
  rewardsBy(draft, value["metrics"]);
  const verdict = VERDICTS.map((name) => value[name]).find(
    (said) => said === true || said === false || said === 0 || said === 1,
  );
  if (verdict !== undefined) draft.rewards.push({ name: "success", source: FORMAT, score: scored(Number(verdict)) });
  return draft;
}

/** A call of a tool that is written as a JSON text. */
function withCalls(raw: JsonObject): JsonObject {
  const { tool_calls: calls } = raw;
  if (!Array.isArray(calls) || !calls.some((call) => typeof call === "string")) return raw;
  const read = calls.flatMap((call) => (typeof call === "string" ? (parseObject(call) ?? []) : [call]));
  return { ...raw, tool_calls: read };
}

function rewardsBy(draft: Draft, values: unknown): void {
  for (const [name, value] of Object.entries(objectField(values) ?? {})) {
    const number = numberField(value);
    // What says how all of it went has its own name here.
    if (number !== undefined && name !== "score" && name !== "success")
      draft.rewards.push({ name, source: FORMAT, score: scored(number) });
  }
}

function sayFailure(draft: Draft, errors: readonly unknown[]): void {
  const error = objectsOf(errors).at(-1);
  if (error === undefined) return;
  const code = textField(error["error"]) ?? textField(error["type"]) ?? "error";
  draft.facts.failure = { code, message: (textField(error["message"]) ?? code).slice(0, 4_000) };
}

/** The traces of an episode: one for each agent. */
function readEpisode(value: JsonObject, id: string): Draft[] {
  const env = textField(objectField(value["env"])?.["id"]);
  return objectsOf(value["traces"]).flatMap((trace, at) => readTrace(trace, `${id}-${at + 1}`, env));
}

/** The first message of a user, as rollouts of one task have it. */
function goalFrom(nodes: readonly JsonObject[]): string {
  const users = nodes.flatMap((node) => anyMessage(objectField(node["message"]) ?? {}, FORMAT) ?? []);
  const said = users.find(({ role }) => role === "user")?.content;
  return (said === undefined ? "rollout" : textOf(said)).slice(0, 4_000);
}

/** A graph of messages: who speaks after an earlier one begins a branch, and a further beginning is a conversation of its own. */
function readTrace(trace: JsonObject, id: string, env: string | undefined): Draft[] {
  const nodes = objectsOf(trace["nodes"]);
  const task = objectField(trace["task"]) ?? {};
  const agent = textField(objectField(trace["agent"])?.["name"]) ?? FORMAT;
  const known = textField(task["key"]) ?? textField(task["hash"]) ?? contentHash(task["data"] ?? nodes[0] ?? null);
  const drafts: Draft[] = [];
  const draftOf: Draft[] = [];
  for (const [at, node] of nodes.entries()) {
    const parent = numberField(node["parent"]);
    let draft = parent === undefined ? undefined : draftOf[parent];
    if (parent !== undefined && draft === undefined)
      throw new TypeError(`node ${at} follows one that is not before it`);
    if (draft === undefined) {
      draft = new Draft(FORMAT, drafts.length === 0 ? id : `${id}/${drafts.length + 1}`, agent);
      const goal = goalFrom(nodes.slice(at));
      draft.facts.task = { id: `${FORMAT}-${contentHash([known, agent, goal])}`, env: env ?? FORMAT, goal };
      drafts.push(draft);
    }
    draftOf[at] = draft;
    const message = anyMessage(objectField(node["message"]) ?? {}, FORMAT);
    if (message === undefined) throw new TypeError("a message has a role: system, user, assistant or tool");
    const after = parent === undefined ? null : `${parent}`;
    draft.say({ message, id: `${at}`, after, returns: true, given: node["sampled"] !== true });
  }
  const [first] = drafts;
  if (first === undefined) return [];
  first.kept = restOf(trace, "nodes", "rewards", "metrics") ?? {};
  sayFailure(first, objectsOf(trace["errors"]));
  const rewards = Object.entries(objectField(trace["rewards"]) ?? {}).flatMap(([name, raw]) => {
    const score = numberField(objectField(raw)?.["score"]);
    return score === undefined ? [] : [{ name, score, weight: numberField(objectField(raw)?.["weight"]) ?? 1 }];
  });
  rewardsBy(first, Object.fromEntries(rewards.map(({ name, score }) => [name, score])));
  rewardsBy(first, trace["metrics"]);
  if (rewards.length > 0) {
    const total = rewards.reduce((sum, { score, weight }) => sum + score * weight, 0);
    first.rewards.push({ name: "score", source: FORMAT, score: scored(total) });
  }
  return drafts;
}
