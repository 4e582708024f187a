/**
 * Recorded chats as moves. A chat names no states and rarely the same words twice: an action is the tool with its
 * arguments, a state is what the last tools were, what they were given and what they answered, with numbers, dates and ids
 * made alike. A reply without tools is only "answer": a message to the user is no way of doing things.
 */
import { folderOf, fromFolder } from "./call-acts.ts";
import { hashOf } from "../library/skill-file.ts";
import type { Json } from "limbeck-base/base/json";
import type { Message, Step, ToolCall, Trajectory } from "limbeck-base/trajectory/trajectory";

const LONGEST_RESULT = 400;

/** The same trajectory with derived actions and keys; as it is where it was no chat. */
export function withDerivedKeys(trajectory: Trajectory): Trajectory {
  if (!hasCalls(trajectory)) return trajectory;
  const folder = folderOf(trajectory.info);
  let before = "";
  const steps = trajectory.steps.map((step): Step => {
    const results = (step.messages ?? [])
      .filter(({ role }) => role === "tool")
      .map(textOf)
      .join("\n");
    const stateKey = hashOf(`${before}\n${normalise(results.slice(0, LONGEST_RESULT))}`);
    const calls = step.reply?.toolCalls ?? [];
    const action = calls.length === 0 ? "answer" : calls.map((call) => callText(call, folder)).join(" and ");
    before = normalise(action);
    return { ...step, action, stateKey };
  });
  return { ...trajectory, steps };
}

/** "weather city=Paris unit=C": tool and arguments in the order of their names, files as they are from the session's folder. */
function callText({ name, arguments: given }: ToolCall, folder: string | undefined): string {
  if (typeof given === "string") return `${name} ${given.slice(0, 160)}`.trim();
  const fields = Object.entries(given)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([field, value]) => `${field}=${valueText(value, folder)}`);
  return [name, ...fields].join(" ");
}

function valueText(value: Json, folder: string | undefined): string {
  const text = fromFolder(typeof value === "string" ? value : JSON.stringify(value), folder);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

/** What differs from run to run and says nothing about the situation. */
export function normalise(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27,}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\d(?:t[\d:.]+z?)?/g, "<date>")
    .replaceAll(/\b(?=[a-z]*\d)[a-z0-9_-]{12,}\b/g, "<id>")
    .replaceAll(/\d+(?:[.,]\d+)*/g, "<n>")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("\n");
}

const MOST_CALLED = 20_000;

/** Everything that the calls of a session were given, the beginning of a long one. */
export function calledText({ steps }: Trajectory): string {
  const texts = steps.flatMap(({ reply }) => (reply?.toolCalls ?? []).flatMap(({ arguments: given }) => leaves(given)));
  return texts.join("\n").slice(0, MOST_CALLED).normalize("NFC");
}

const LEAST_ECHO = 12;

/** What a session saw, without what a tool's answer only repeats of the call before it. */
export function seenBy({ steps, closing }: Trajectory): string[] {
  const seen = [...steps.map(({ observation }) => observation), closing?.observation ?? ""];
  return seen.map((text, at) => {
    const calls = steps[at - 1]?.reply?.toolCalls ?? [];
    const given = calls.flatMap((call) => leaves(call.arguments)).filter(({ length }) => length >= LEAST_ECHO);
    return given.reduce((rest, value) => rest.replaceAll(value, "\n"), text);
  });
}

function leaves(value: Json): string[] {
  if (value === null || typeof value !== "object") return [String(value)];
  return Object.values(value).flatMap(leaves);
}

/** Chats with tools, and the others. One without any call is with those of its kind: it may have given up at once. */
export function byCalls(trajectories: readonly Trajectory[]): [called: Trajectory[], played: Trajectory[]] {
  const chats = new Set(trajectories.filter(hasCalls).map(({ task }) => task.env));
  const isChat = ({ task }: Trajectory): boolean => chats.has(task.env);
  return [trajectories.filter(isChat), trajectories.filter((trajectory) => !isChat(trajectory))];
}

/** Whether it is a chat in which tools were called. */
function hasCalls({ steps }: Trajectory): boolean {
  return steps.some(({ reply }) => (reply?.toolCalls ?? []).length > 0);
}
