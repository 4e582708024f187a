/**
 * Messages in the shape of the OpenAI chat interface. What our message has no field for (refusals, weights, exact
 * argument text, the developer role) is kept as the difference under `extra.openai`, so the same message comes back.
 */
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { readMessage, writeMessage } from "limbeck-recorder/wire/openai-chat";
import { refuse, type OnFault } from "limbeck-recorder/wire/shape";
import type { Message } from "limbeck-base/trajectory/trajectory";
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
