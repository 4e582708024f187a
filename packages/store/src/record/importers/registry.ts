/** Every importer, by its name. Of two whose signs a file could show, the stricter one stands first. */
import { formats } from "../../store/formats/index.ts";
import type { Source, SessionSource } from "../../store/formats/source.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropicBatch } from "./anthropic-batch.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilotChat } from "./copilot-chat.ts";
import { geminiCli } from "./gemini-cli.ts";
import { harbor } from "./harbor.ts";
import { langfuse } from "./langfuse.ts";
import { langsmith } from "./langsmith.ts";
import { mastra } from "./mastra.ts";
import { openaiBatch } from "./openai-batch.ts";
import { opencode } from "./opencode.ts";
import { phoenix } from "./phoenix.ts";
import { pi } from "./pi.ts";
import { rollouts } from "./rollouts.ts";
import { tauBench } from "./tau-bench.ts";

export const importers = {
  "claude-code": claudeCode,
  codex,
  "copilot-chat": copilotChat,
  "gemini-cli": geminiCli,
  opencode,
  pi,
  langsmith,
  langfuse,
  phoenix,
  "openai-batch": openaiBatch,
  "anthropic-batch": anthropicBatch,
  mastra,
  rollouts,
  "tau-bench": tauBench,
  harbor,
  "ai-sdk": aiSdk,
} as const satisfies Record<string, SessionSource>;

/** Everything that can be imported: importers first, for some formats show in their files too. */
export const sources: Readonly<Record<string, Source>> = { ...importers, ...formats };
