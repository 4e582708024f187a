/**
 * Messages in the shape of the OpenAI chat interface. What our message has no field for (refusals, weights, exact
 * argument text, the developer role) is kept as the difference under `extra.openai`, so the same message comes back.
 */
import { isObject, type JsonObject } from "../../base/json.ts";
import { readMessage, writeMessage } from "../../record/recorder/wire/openai-chat.ts";
import { refuse, type OnFault } from "../../record/recorder/wire/shape.ts";
import type { Message } from "../../trajectory/trajectory.ts";
import { applyOverlay, overlay } from "./overlay.ts";

export function readOpenAiMessage(raw: JsonObject, fault: OnFault = refuse): Message {
  const message = readMessage(raw, fault);
  const difference = overlay(writeMessage(message), raw);
  return difference === undefined ? message : { ...message, extra: { openai: difference } };
}

export function writeOpenAiMessage(message: Message): JsonObject {
  const plain = writeMessage(message);
  const difference = message.extra?.["openai"];
  return isObject(difference) ? applyOverlay(plain, difference) : plain;
}
