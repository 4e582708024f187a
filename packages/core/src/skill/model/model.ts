/**
 * The analyst that asks a chat model. What limits, repeats, pays for and remembers calls is the model's own business;
 * here an answer that cannot be read is asked for once more, and what still fails is an analysis with an error.
 */
import { errorData, throwIfAborted } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import { option } from "limbeck-base/base/option";
import { resolveOptions } from "limbeck-base/base/options";
import type { GivenOptions, OptionTable, OptionValues } from "limbeck-base/base/option-table";
import type { ChatModel, CompleteOptions } from "limbeck-policy/policy/chat/chat-model";
import type { Trajectory, Usage } from "limbeck-base/trajectory/trajectory";
import type { AnalyseOptions, Analysis, Analyst } from "../skill.ts";
import { labelOutcome } from "../outcome.ts";
import { parseAnalysis, skillsOf } from "./parse-analysis.ts";
import { buildAnalystRequest, buildRetryRequest, type RequestOptions } from "./request.ts";

export const modelAnalystOptions = {
  attempts: option.count(2, "how often an answer is asked for before the analysis counts as failed"),
  concurrency: option.count(8, "trajectories analysed at once"),
  maxTokens: option.count(4096, "longest answer"),
  temperature: option.limit(null, "of the answers; none: the model's own", { least: 0 }),
  gamma: option.share(0.95, "discount of the returns that are shown"),
  maxCharacters: option.count(4000, "longest observation or response that is shown whole"),
} satisfies OptionTable;

/** Whom it asks, and how it reads a response; its reply, or else its action, by default. */
interface Parts extends Pick<RequestOptions, "responseOf"> {
  readonly chat: Pick<ChatModel, "complete">;
}

type Resolved = Parts & OptionValues<typeof modelAnalystOptions>;
export type ModelAnalystOptions = Parts & GivenOptions<typeof modelAnalystOptions>;

/**
 * The analyst that asks a chat model.
 *
 * @example
 * import { openChatModel } from "limbeck/policy";
 *
 * const text = JSON.stringify({ episode_summary: "It worked.", episode_skill: "Use all three numbers.", step_skills: {} });
 * const doGenerate = () => Promise.resolve({ content: [{ type: "text", text }], finishReason: "stop", usage: {} });
 * const chat = openChatModel({ specificationVersion: "v2", provider: "own", modelId: "always-the-same", doGenerate });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const [analysis] = await createModelAnalyst({ chat }).analyse(trajectories, { maxStepSkills: 1 });
 * console.log(analysis?.episodeSkill?.text); // Use all three numbers.
 */
export function createModelAnalyst({ chat, responseOf, ...given }: ModelAnalystOptions): Analyst {
  const parts: Parts = { chat, ...(responseOf === undefined ? {} : { responseOf }) };
  const options: Resolved = { ...parts, ...resolveOptions(modelAnalystOptions, given, "the model analyst") };
  return {
    id: "model",
    analyse: async (group, analyseOptions) => {
      const { select = () => true, signal } = analyseOptions;
      return await mapLimit(
        group.filter(select),
        options.concurrency,
        (trajectory, _, inner) => analyseOne(trajectory, options, { ...analyseOptions, signal: inner }),
        signal === undefined ? {} : { signal },
      );
    },
  };
}

async function analyseOne(
  trajectory: Trajectory,
  options: Resolved,
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
      if (attempt >= options.attempts) return { ...base, error: errorData(parsed.error), usage };
      content = buildRetryRequest(request, parsed.error, completion.text);
    }
  } catch (error) {
    // Cancelling throws; any other failure costs this trajectory its teacher and nothing more.
    throwIfAborted(signal);
    return { ...base, error: errorData(error), usage };
  }
}

function completeOptions({ maxTokens, temperature }: Resolved, signal: AbortSignal | undefined): CompleteOptions {
  return {
    maxTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function addUsage(left: Usage, right: Usage): Usage {
  const total: Record<string, number> = { ...left };
  for (const [name, value] of Object.entries(right)) total[name] = (total[name] ?? 0) + (value as number);
  return total;
}
