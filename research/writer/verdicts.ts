/** Advice about a task, and the verdict on it. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng, Trajectory } from "limbeck";
import { LONGEST_WAY, type Made, type Studied } from "./example.ts";
import { actionOf, skillWriting } from "./questions.ts";
import type { Ground } from "./truth.ts";

/** Advice that is right, wrong (it does not win) or harmful (nobody could win after it). */
export async function verdictExample(studied: Studied, trajectory: Trajectory, rng: Rng): Promise<Made | undefined> {
  const { way, group, ground } = studied;
  if (way === undefined || way.length > LONGEST_WAY) return undefined;
  const draw = rng.float();
  const lost = group.filter(({ success }) => success !== true).map(({ steps }) => steps.map(actionOf));
  const advised =
    draw < 0.35
      ? way
      : draw < 0.6 && lost.length > 0
        ? (pick(lost, rng) as string[]).slice(0, LONGEST_WAY)
        : spoilt(way, group, rng);
  const { brief = [] } = await skillWriting(trajectory, group, 0);
  const evidence: string[] = [];
  for (const [at] of advised.entries()) {
    const [before, then] = [await ground.after(advised.slice(0, at)), await ground.after(advised.slice(0, at + 1))];
    const flaw = then.refused ? "x" : !then.changed ? "=" : Number.isFinite(then.remaining) ? "-" : "!";
    evidence.push(`c${at}${before.ended ? "." : then.remaining < before.remaining ? "+" : flaw}`);
  }
  return {
    kind: "verdict",
    brief: [...brief.slice(1), "advice:", ...advised.map((action, at) => `c${at}: ${action}`)],
    answer: `${evidence.join(" ")}\n${await verdictOf(ground, advised)}`,
  };
}

export async function verdictOf(ground: Ground, advised: readonly string[]): Promise<string> {
  const { won, remaining } = await ground.after(advised);
  return won ? "true" : Number.isFinite(remaining) ? "wrong" : "harmful";
}

function spoilt(way: readonly string[], group: readonly Trajectory[], rng: Rng): string[] {
  const at = rng.int(way.length);
  const other = pick(
    group.flatMap(({ steps }) => steps.map(actionOf)),
    rng,
  ) as string;
  const draw = rng.float();
  if (draw < 0.4 && way.length > 1) return way.toSpliced(at, 1);
  if (draw < 0.6 && way.length > 1) return way.toSpliced(at, 1).toSpliced(rng.int(way.length), 0, way[at] as string);
  return way.toSpliced(at, 1, other);
}
