/**
 * tau-bench result files (a list of `{task_id, reward, traj}`) and those of tau2 (`{simulations: [{messages, reward_info}]}`). Read
 * from both projects' public sources and from the published trajectories of tau-bench.
 */
import { scored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { contentHash } from "../../store/formats/identity.ts";
import { anyMessage } from "./any-message.ts";
import { Draft } from "./draft.ts";
import { sessionSource } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { numberField, objectField, restOf, textField, timeField, toolOutcome, usageFrom } from "./fields.ts";

const FORMAT = "tau-bench";

export const tauBench = sessionSource({
  id: FORMAT,
  title: "tau-bench",
  versions: "tried with a published file of tau-bench (200 episodes); tau2-bench from its public source (2026)",
  reads:
    "the agent's messages as steps, the simulated user, calls with their results, rewards and success, tokens, costs and models where given",
  leaves: "the list of tasks of a tau2 file (a simulation keeps its task's id); audio",
  files: /\.json$/,
  sign: /"traj"\s*:|"(?:reward_info|simulation_guidelines|termination_reason)"\s*:|"agent_info"\s*:.*"simulations"\s*:/s,
  elements: ["simulations", "*"],
  open: () => ({ add: (record) => [readResult(record)], end: () => [] }),
});

function readResult(record: JsonObject): Draft {
  const messages = record["traj"] ?? record["messages"];
  const task = record["task_id"];
  if (!Array.isArray(messages) || (typeof task !== "string" && typeof task !== "number")) {
    throw new TypeError('a result has "task_id" and "traj", or "messages"');
  }
  const trial = numberField(record["trial"]) ?? 0;
  const own = textField(record["id"]) ?? `${FORMAT}-${task}-${trial}-${contentHash(record)}`;
  const draft = new Draft(FORMAT, own, FORMAT);
  const asked = objectField(objectField(record["info"])?.["task"]);
  const goal = textField(asked?.["instruction"]);
  draft.facts.task = {
    id: `tau-bench-${contentHash([task, goal ?? ""])}`,
    env: FORMAT,
    goal: goal ?? `tau-bench task ${task}`,
  };
  draft.facts.startedAt = timeField(record["start_time"]);
  draft.kept = restOf(record, "id", "traj", "messages", "reward", "start_time") ?? {};
  for (const raw of objectsOf(messages)) sayMessage(draft, raw);
  const reward = numberField(record["reward"] ?? objectField(record["reward_info"])?.["reward"]);
  if (reward !== undefined) {
    draft.rewards.push({ name: "score", source: FORMAT, score: scored(reward) });
    draft.rewards.push({ name: "success", source: FORMAT, score: scored(reward >= 1 - 1e-6 ? 1 : 0) });
  }
  const why = textField(record["termination_reason"]);
  if (why !== undefined && /error/i.test(why))
    draft.facts.failure = { code: why, message: "The simulation ended with an error." };
  return draft;
}

function sayMessage(draft: Draft, raw: JsonObject): void {
  const several = objectsOf(raw["tool_messages"]);
  if (several.length > 0) {
    for (const one of several) sayMessage(draft, one);
    return;
  }
  const read = anyMessage(
    raw["role"] === "tool" && raw["tool_call_id"] === undefined && raw["id"] !== undefined
      ? { ...raw, tool_call_id: raw["id"] }
      : raw,
    FORMAT,
  );
  if (read === undefined) throw new TypeError("a message has a role: system, user, assistant or tool");
  const message: Message =
    raw["error"] === true && read.role === "tool"
      ? { ...read, extra: { ...read.extra, ...toolOutcome({ error: true }) } }
      : withErrors(read);
  const usage = objectField(raw["usage"]);
  draft.say({
    message,
    at: timeField(raw["timestamp"]),
    ...(message.role === "assistant"
      ? {
          model: textField(objectField(raw["raw_data"])?.["model"]),
          usage: usageFrom(usage?.["prompt_tokens"], usage?.["completion_tokens"], undefined, raw["cost"]),
        }
      : {}),
  });
}

/** The worlds of tau-bench answer a wrong call with a text that begins so. */
function withErrors(message: Message): Message {
  if (message.role !== "tool" || typeof message.content !== "string" || !/^Error\b/.test(message.content))
    return message;
  return { ...message, extra: { ...message.extra, ...toolOutcome({ error: true }) } };
}
