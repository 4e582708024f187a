/** Tries the template of a folder in a process of its own, with an end in time and memory. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { EngineError, type PlainError } from "limbeck-base/base/errors";
import { programWords } from "limbeck-base/base/child-program";
import type { Handled, ScenarioResult } from "./check.ts";
import { SCENARIOS } from "./scenarios.ts";

export interface TemplateReport extends Handled {
  readonly results: readonly ScenarioResult[];
}

export interface BoundedOptions {
  /** For all chats together. Default: 20,000. */
  readonly limitMs?: number;
  /** Default: 2,048. A large tokenizer alone takes several hundred. */
  readonly memoryMegabytes?: number;
  readonly onResult?: (result: ScenarioResult) => void;
  readonly signal?: AbortSignal;
}

type Line =
  | { readonly kind: "ready" }
  | { readonly kind: "result"; readonly result: ScenarioResult }
  | { readonly kind: "handled"; readonly handled: Handled }
  | { readonly kind: "failed"; readonly error: PlainError };

/** Reading a large tokenizer takes seconds; a tenth of this. */
const LOADING_MS = 120_000;

export async function checkTemplate(folder: string, options: BoundedOptions = {}): Promise<TemplateReport> {
  const { limitMs = 20_000, memoryMegabytes = 2_048, onResult, signal } = options;
  const words = [`--max-old-space-size=${memoryMegabytes}`, ...programWords(import.meta.url, "process"), folder];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "ignore"], ...(signal && { signal }) });
  const over = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  let late = false;
  const stopAfter = (time: number): NodeJS.Timeout =>
    setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, time);
  let timer = stopAfter(LOADING_MS);
  const results: ScenarioResult[] = [];
  let handled: Handled | undefined;
  let failed: PlainError | undefined;
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (text) => {
    const line = JSON.parse(text) as Line;
    if (line.kind === "ready") {
      clearTimeout(timer);
      timer = stopAfter(limitMs);
    } else if (line.kind === "result") {
      results.push(line.result);
      onResult?.(line.result);
    } else if (line.kind === "handled") handled = line.handled;
    else failed = line.error;
  });
  try {
    await over;
  } finally {
    clearTimeout(timer);
  }
  if (failed !== undefined) throw EngineError.from(failed);
  if (handled !== undefined) return { results, ...handled };
  const at = SCENARIOS[results.length];
  const how = late ? `did not come to an end within ${limitMs / 1_000} s` : "took more memory than it may have";
  const message = `The chat template ${how}${at === undefined ? "" : ` (chat "${at.name}": ${at.about})`}.`;
  const error = new EngineError("bad-chat-template", message).toJSON();
  const unfinished = at === undefined ? [] : [{ scenario: at.name, about: at.about, state: "refused" as const, error }];
  for (const result of unfinished) onResult?.(result);
  return { results: [...results, ...unfinished], handling: "none", thinkingOff: null, system: false, reason: error };
}
