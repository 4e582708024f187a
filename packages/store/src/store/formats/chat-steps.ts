/** A chat as steps, and back: every reply of the model is a step, what was new to it before stands in front. */
import { unscored } from "limbeck-base/trajectory/score";
import type { Message, Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { shortHash } from "./identity.ts";

/** The text of a message; parts that are not text are left out. */
export function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : [])).join("\n");
}

/** What the agent saw: the new user and tool messages, or the system messages where there is nothing else. */
export function observationOf(messages: readonly Message[]): string {
  const seen = messages.filter((message) => message.role === "user" || message.role === "tool");
  const shown = seen.length > 0 ? seen : messages.filter((message) => message.role === "system");
  return shown.map((message) => textOf(message.content)).join("\n");
}

/** What the agent did: its text, then each call as `name(arguments)`. */
function actionOf(reply: Message): string {
  const text = textOf(reply.content);
  const calls = (reply.toolCalls ?? []).map(
    (call) => `${call.name}(${typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments)})`,
  );
  return [...(text === "" ? [] : [text]), ...calls].join("\n");
}

/** The importer's best guess at a state: equal observations are equal states. */
function stateKeyOf(observation: string): string {
  return shortHash(observation);
}

/** A step as a chat shows it; nothing in a chat says that an action was invalid. */
export function chatStep(index: number, messages: readonly Message[], reply: Message, reward: Score): Step {
  const observation = observationOf(messages);
  return {
    index,
    observation,
    stateKey: stateKeyOf(observation),
    action: actionOf(reply),
    valid: true,
    reward,
    messages,
    reply,
  };
}

/** Cuts a chat at the replies; what follows the last one is the closing. */
export function stepsFromChat(chat: readonly Message[], format: string): Pick<Trajectory, "steps" | "closing"> {
  const steps: Step[] = [];
  let fresh: Message[] = [];
  for (const message of chat) {
    if (message.role === "assistant") {
      steps.push(chatStep(steps.length, fresh, message, unscored(`${format} holds no step rewards`)));
      fresh = [];
    } else fresh.push(message);
  }
  return { steps, ...closingOf(fresh) };
}

export function closingOf(messages: readonly Message[]): Pick<Trajectory, "closing"> {
  return messages.length === 0 ? {} : { closing: { observation: observationOf(messages), messages } };
}

/** The whole chat of a trajectory. Where a step has no messages, its observation and action stand for them. */
export function chatFromSteps(trajectory: Trajectory): Message[] {
  const chat: Message[] = [];
  for (const step of trajectory.steps) {
    chat.push(...(step.messages ?? asMessage("user", step.observation)));
    chat.push(step.reply ?? { role: "assistant", content: step.action });
  }
  const { closing } = trajectory;
  if (closing !== undefined) chat.push(...(closing.messages ?? asMessage("user", closing.observation)));
  return chat;
}

function asMessage(role: Message["role"], content: string): Message[] {
  return content === "" ? [] : [{ role, content }];
}
