/** The interfaces that can be recorded, by the end of their path. */
import { anthropicMessages } from "./anthropic.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Shape } from "./shape.ts";

const SHAPES: readonly Shape[] = [openaiChat, anthropicMessages, openaiResponses];

/** The interface behind a path; undefined for everything that is not a call of a chat model. */
export function shapeOf(path: string): Shape | undefined {
  const plain = path.replace(/[?#].*$/s, "").replace(/\/$/, "");
  return SHAPES.find((shape) => plain.endsWith(shape.path));
}
