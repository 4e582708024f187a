/** Chat-messages JSON lines, written in the Anthropic shape. */
import { chatSource } from "./chat.ts";

export const anthropicChat = chatSource(
  "anthropic",
  "Anthropic",
  /"(?:input_schema|tool_use_id)"\s*:|"type"\s*:\s*"(?:tool_use|tool_result|thinking)"|"system"\s*:\s*(?:"|\[).*"messages"\s*:|"messages"\s*:.*"system"\s*:\s*(?:"|\[)/s,
);
