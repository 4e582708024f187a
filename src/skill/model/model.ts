/**
 * The analyst that asks a chat model. What limits, repeats, pays for and remembers calls is the model's own business;
 * here an answer that cannot be read is asked for once more, and what still fails is an analysis with an error.
 */
import { errorData, mapLimit, throwIfAborted } from "../../base/index.ts";
import type { ChatModel, CompleteOptions } from "../../policy/chat/index.ts";
import type { Trajectory, Usage } from "../../trajectory/index.ts";
import { createSkill } from "../create-skill.ts";
import { labelOutcome } from "../outcome.ts";
import type { AnalyseOptions, Analysis, Analyst } from "../skill.ts";
import { parseAnalysis, type ParsedAnalysis } from "./parse-analysis.ts";
import { buildAnalystRequest, buildRetryRequest, type RequestOptions } from "./request.ts";

export interface ModelAnalystOptions extends Omit<RequestOptions, "maxStepSkills"> {
  readonly chat: Pick<ChatModel, "complete">;
  /** How often an answer is asked for before the analysis counts as failed; 2 unless told. */
  readonly attempts?: number;
  /** Trajectories analysed at once; 8 unless told. */
  readonly concurrency?: number;
  /** Longest answer; 4,096 unless told. */
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export function createModelAnalyst(options: ModelAnalystOptions): Analyst {
  return {
    id: "model",
    analyse: async (group, analyseOptions) => {
      const { select = () => true, signal } = analyseOptions;
      return await mapLimit(
        group.filter(select),
        options.concurrency ?? 8,
        (trajectory, _, inner) => analyseOne(trajectory, options, { ...analyseOptions, signal: inner }),
        signal === undefined ? {} : { signal },
      );
    },
  };
}

async function analyseOne(
  trajectory: Trajectory,
  options: ModelAnalystOptions,
  { maxStepSkills, signal }: AnalyseOptions,
): Promise<Analysis> {
  const base = { trajectory: trajectory.id, outcome: labelOutcome(trajectory), stepSkills: new Map() };
  let usage: Usage = {};
  try {
    const candidates = trajectory.steps.map(({ index }) => index);
    const request = buildAnalystRequest(trajectory, { ...options, maxStepSkills });
    const limits = completeOptions(options, signal);
    let content = request;
    for (let attempt = 1; ; attempt += 1) {
      const completion = await options.chat.complete([{ role: "user", content }], limits);
      usage = addUsage(usage, completion.usage);
      const parsed = parseAnalysis(completion.text, candidates, maxStepSkills);
      if (parsed.ok) return { ...base, ...skillsOf(trajectory, parsed), usage };
      if (attempt >= (options.attempts ?? 2)) return { ...base, error: errorData(parsed.error), usage };
      content = buildRetryRequest(request, parsed.error, completion.text);
    }
  } catch (error) {
    // A cancelled caller is told so; whatever else happened costs this trajectory its teacher and nothing more.
    throwIfAborted(signal);
    return { ...base, error: errorData(error), usage };
  }
}

function completeOptions(options: ModelAnalystOptions, signal: AbortSignal | undefined): CompleteOptions {
  const { maxTokens = 4096, temperature } = options;
  return {
    maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function skillsOf(
  { id, steps }: Trajectory,
  { summary, episodeSkill, stepSkills }: ParsedAnalysis,
): Pick<Analysis, "episodeSkill" | "stepSkills" | "episodeSummary"> {
  const all = [{ trajectory: id, steps: steps.map(({ index }) => index) }];
  const written = [...stepSkills].filter(([, text]) => text !== "");
  return {
    ...(summary === "" ? {} : { episodeSummary: summary }),
    episodeSkill: createSkill("episode", episodeSkill, all),
    stepSkills: new Map(
      written.map(([step, text]) => [step, createSkill("step", text, [{ trajectory: id, steps: [step] }])]),
    ),
  };
}

function addUsage(left: Usage, right: Usage): Usage {
  const total: Record<string, number> = { ...left };
  for (const [name, value] of Object.entries(right)) total[name] = (total[name] ?? 0) + (value as number);
  return total;
}
