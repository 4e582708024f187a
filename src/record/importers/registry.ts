/** Every importer, by its name. */
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilotChat } from "./copilot-chat.ts";
import { geminiCli } from "./gemini-cli.ts";
import type { Importer } from "./importer.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

export const importers = {
  "claude-code": claudeCode,
  codex,
  "copilot-chat": copilotChat,
  "gemini-cli": geminiCli,
  opencode,
  pi,
} as const satisfies Record<string, Importer>;

export type ImporterId = keyof typeof importers;
