/** The writer of the environment's chat model, for commands and trainings that say `--ask`. */
import type { Writer } from "../skill.ts";
import { createWriter } from "./writer.ts";

/** Answers are remembered, so that equal questions are paid once. */
export async function openWriter(environment: Readonly<Record<string, string | undefined>>): Promise<Writer> {
  const { chatServerFrom, openChatModel } = await import("../../policy/chat/index.ts");
  const retry = { retries: 1 };
  return createWriter({ chat: openChatModel(chatServerFrom(environment), { cache: true, retry }) });
}
