/** Chat-messages JSON lines, written in the OpenAI shape. */
import { chatSource } from "./chat.ts";

export const openaiChat = chatSource("openai", "OpenAI", /"messages"\s*:\s*\[/);
