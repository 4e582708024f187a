/** What a trajectory wasted (the metrics of PANDO as a reward): repeated actions, surplus steps, prompts read anew. */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { readEpisodes } from "./read-scores.ts";
import { episodeLength, tighten } from "./references.ts";
import { defineReward, type Award } from "./reward.ts";

export const efficiency = defineReward({
  id: "efficiency",
  info: {
    title: "PANDO efficiency",
    meaning: "Costs repeated actions and surplus steps, and pays for prompts that the cache already held.",
    paper: "PANDO: Efficient Multimodal AI Agents via Online Skill Distillation",
    confidence: "inferred",
    formula: [
      "repetition ARR = share of steps t >= 1 whose action and state are those of step t - 1, of max(1, T - 1)",
      "overhead SOR = T / T_ref - 1, T_ref = the shortest success known for the task",
      "cache PCU = cached prompt tokens / prompt tokens",
      "R = - repetition * ARR - overhead * min(overheadCap, max(0, SOR)) + cache * PCU",
    ],
    departures: [
      "The paper measures with these numbers; the weights that make a reward of them are ours.",
      "Summaries give its step overhead as a factor (1.8) and do not agree of what: of the least steps, or of failures over successes. Ours is what is above the least known.",
      "A failure that was short is not paid for: only surplus steps count.",
      "A part without a score (no success known, no token counts) is left out of the sum and named in the comment.",
    ],
  },
  mayUse: { references: "the least steps known of each task, from the batch before" },
  options: {
    repetition: option.number(0.1, "cost of repeated actions", { least: 0 }),
    overhead: option.number(0.1, "cost of surplus steps", { least: 0 }),
    overheadCap: option.number(2, "surplus above this costs no more", { least: 0 }),
    cache: option.number(0, "worth of cached prompt tokens", { least: 0 }),
  },
  score: (batch, options, { references }) => {
    const episodes = readEpisodes(batch);
    const after = tighten(references, batch, episodeLength);
    const awards = batch.map((trajectory): Award[] => {
      const steps = episodes.steps(trajectory);
      const parts: Record<Part, Score> = {
        repetition: typeof steps === "string" ? unscored(steps) : scored(repetitionRate(steps)),
        overhead: overhead(trajectory, after.get(trajectory.task.id)),
        cache: typeof steps === "string" ? unscored(steps) : cacheUse(trajectory, steps),
      };
      return [combine(parts, options), ...Object.entries(parts).map(([part, score]) => ({ part, score }))];
    });
    return { awards, references: after };
  },
});

type Part = "repetition" | "overhead" | "cache";

/** Steps that did the same as the one before in the same state. */
export function repetitionRate(steps: readonly Step[]): number {
  let repeats = 0;
  for (let at = 1; at < steps.length; at += 1) {
    const [step, before] = [steps[at] as Step, steps[at - 1] as Step];
    if (step.action === before.action && step.stateKey === before.stateKey) repeats += 1;
  }
  return repeats / Math.max(1, steps.length - 1);
}

function overhead(trajectory: Trajectory, reference: number | undefined): Score {
  if (reference === undefined) return unscored("no success of its task is known");
  return scored(episodeLength(trajectory) / Math.max(1, reference) - 1);
}

function cacheUse({ usage }: Trajectory, steps: readonly Step[]): Score {
  const counts = usage?.promptTokens === undefined ? steps.map((step) => step.usage) : [usage];
  let prompt = 0;
  let cached = 0;
  for (const own of counts) {
    if (own?.promptTokens === undefined) continue;
    prompt += own.promptTokens;
    cached += own.cachedTokens ?? 0;
  }
  return prompt === 0 ? unscored("its prompt tokens were not counted") : scored(cached / prompt);
}

function combine(parts: Readonly<Record<Part, Score>>, options: Readonly<Record<Part | "overheadCap", number>>): Award {
  const { repetition, overhead: surplus, cache } = parts;
  const lost: string[] = [];
  let total = 0;
  const add = (part: Part, score: Score, value: (own: number) => number): void => {
    if (options[part] === 0) return;
    if (score.kind === "scored") total += options[part] * value(score.value);
    else lost.push(`${part} (${score.why})`);
  };
  add("repetition", repetition, (own) => -own);
  add("overhead", surplus, (own) => -Math.min(options.overheadCap, Math.max(0, own)));
  add("cache", cache, (own) => own);
  const comment = `without a score: ${lost.join(", ")}`;
  const weighted = (["repetition", "overhead", "cache"] as const).filter((part) => options[part] !== 0).length;
  if (lost.length > 0 && lost.length === weighted) return { score: unscored(comment) };
  // 0 - x rather than -x: a sum of nothing is 0, not -0.
  return { score: scored(0 + total), ...(lost.length === 0 ? {} : { comment }) };
}
