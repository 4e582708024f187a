/** What a writer of few words is asked, kind by kind, as the engine puts it. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng, Step, Trajectory } from "limbeck";
import { createWriterAnalyst } from "../../packages/core/src/skill/writer/writer-analyst.ts";
import type { Analysis } from "limbeck/skill";
import type { Writing } from "../../packages/core/src/skill/skill.ts";
import type { Ground, Judged, Outlook } from "./truth.ts";
import type { Flaw } from "./words.ts";

export function actionOf({ action }: Step): string {
  return action;
}

type Question = Pick<Writing<unknown>, "kind" | "material" | "brief">;

/** The question that the analyst puts to a writer of few words. */
export async function skillWriting(
  trajectory: Trajectory,
  group: readonly Trajectory[],
  maxStepSkills: number,
): Promise<Question> {
  let asked: Question | undefined;
  const analyst = createWriterAnalyst({
    id: "ear",
    write: (writing) => {
      asked = writing;
      const value = { trajectory: trajectory.id, outcome: "unknown", stepSkills: new Map() } satisfies Analysis;
      return Promise.resolve({ value: value as never, by: "model" });
    },
  });
  await analyst.analyse(group, { maxStepSkills, select: ({ id }) => id === trajectory.id });
  if (asked === undefined) throw new Error("The analyst asked nothing.");
  return asked;
}

/** What recipes tell a small writer about an episode (`briefOf` of the engine; a test compares them). */
export function recordLines({ task, steps, closing }: Trajectory, until = Number.POSITIVE_INFINITY): string[] {
  const lines = steps
    .filter(({ index }) => index <= until)
    .flatMap(({ index, observation, action, valid }) => [
      `saw: ${observation}`,
      `a${index}${valid ? "" : " (refused)"}: ${action}`,
    ]);
  return [`task: ${task.goal}`, ...lines, `in the end: ${closing?.observation ?? ""}`];
}

export function flawOf(before: Outlook, then: Outlook): Flaw | undefined {
  if (then.remaining < before.remaining) return undefined;
  if (then.refused) return "refused";
  if (!then.changed) return "useless";
  return Number.isFinite(then.remaining) ? "slow" : "lost";
}

/** A moment of an episode, with what is best there and what others would have brought. */
export async function momentOf(ground: Ground, trajectory: Trajectory, judged: readonly Judged[], rng: Rng) {
  const open = judged.flatMap(({ better }, at) => (better === undefined ? [] : [at]));
  const at = pick(open, rng);
  if (at === undefined) return undefined;
  const actions = trajectory.steps.map(actionOf);
  const past = actions.slice(0, at);
  const before = await ground.after(past);
  const best = judged[at]?.better as string;
  const tried = [...new Set([actions[at] as string, ...actions.toSorted(() => rng.float() - 0.5)])];
  const others: { action: string; flaw: Flaw; seen: string }[] = [];
  for (const action of tried) {
    if (others.length >= 2 || action === best) continue;
    const then = await ground.after([...past, action]);
    const flaw = flawOf(before, then);
    if (flaw !== undefined) others.push({ action, flaw, seen: then.observation });
  }
  if (others.length === 0) return undefined;
  const seen = (await ground.after([...past, best])).observation;
  return { at, observation: before.observation, best: { action: best, seen }, others };
}

type Moment = NonNullable<Awaited<ReturnType<typeof momentOf>>>;

/** As the engine puts it to a writer of reasons. */
export function reasonLines(goal: string, { observation, best, others }: Moment): string[] {
  return [
    `task: ${goal}`,
    `saw: ${observation}`,
    ...[best, ...others].flatMap(({ action, seen }, at) => [`c${at}: ${action}`, `led to: ${seen}`]),
  ];
}

export function critiqueLines(goal: string, observation: string, candidates: readonly { action: string }[]): string[] {
  return [`task: ${goal}`, `saw: ${observation}`, ...candidates.map(({ action }, at) => `${at + 1}: ${action}`)];
}
