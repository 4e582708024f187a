/** An episode as a grader sees it, and what it says of it. */
import type { Json } from "../../packages/base/src/base/json.ts";
import type { Finished, GraderTools } from "../../packages/testing/src/suite/grader.ts";
import { chainOf, gradeChain, type ChainGrade } from "../../packages/testing/src/suite/graders/registry.ts";
import type { GraderUse } from "../../packages/testing/src/suite/suite.ts";
import { sampleStep, sampleTrajectory } from "./reward.ts";

/** Each text is one action. */
export function finished(actions: readonly string[], answer?: Json, success: boolean | null = null): Finished {
  const steps = actions.map((action, at) => sampleStep(at, { action }));
  return { trajectory: sampleTrajectory("a", { steps, success }), answer, prompt: "What?" };
}

/** The score, or why there is none. */
export async function scoreOf(
  use: GraderUse | GraderUse[],
  episode: Finished,
  tools: Partial<GraderTools> = {},
): Promise<number | string> {
  const { score } = await chainGrade(use, episode, tools);
  return score.kind === "scored" ? score.value : score.why;
}

export async function chainGrade(
  use: GraderUse | GraderUse[],
  episode: Finished,
  tools: Partial<GraderTools> = {},
): Promise<ChainGrade> {
  const probe = (): Promise<string> => Promise.reject(new Error("there is no world"));
  return await gradeChain(chainOf(use), episode, { probe, ...tools });
}
