/** Who answers an agent where nobody is named. Kept apart from what it opens, so that help stays quick. */
import type { Words } from "../command.ts";

/** `--policy` or `--model`, else the chat model of the environment, else the bundled one. */
export function agentPolicy({ io, text }: Pick<Words, "io" | "text">): string {
  return text("policy") ?? text("model") ?? ((io.env["LIMBECK_CHAT_BASE_URL"] ?? "") === "" ? "bundled" : "chat");
}
