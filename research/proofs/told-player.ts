/** Episodes of household's bundled model that is told something at the opening, and what is counted of them. */
import { createChatDialect, openModel, rollout, type Trajectory, createRng } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { bundledModel, requireTokenizer } from "limbeck/local";
import { getRecipe, resolveSettings } from "limbeck/update";
import { NO_STATISTICS, type Status } from "../../packages/core/src/skill/library/library-skill.ts";
import type { LibraryEntry } from "../../packages/core/src/skill/library/index-file.ts";
import type { Selector } from "../../packages/recorder/src/selection/select.ts";
import { agentFor } from "../../packages/core/src/update/agent.ts";

interface Asked {
  readonly split: string;
  readonly offset: number;
  readonly tasks: number;
  readonly seed: number | string;
  readonly tell?: (task: { readonly id: string; readonly goal: string }) => string | undefined;
}

/** Episodes of the bundled model, one a task, with what it is told at the opening. */
export type Player = (asked: Asked) => Promise<readonly Trajectory[]>;

export async function withPlayer<T>(quick: boolean, work: (play: Player) => Promise<T>): Promise<T> {
  const model = await openModel(bundledModel("household"), { threads: 1 });
  try {
    const dialect = await createChatDialect(requireTokenizer(model));
    const settings = resolveSettings({
      name: "grpo",
      recipe: getRecipe("grpo"),
      credit: "grpo",
      given: { answerTokens: 24 },
    });
    return await work(async ({ tell, seed, ...asked }) => {
      const policy = agentFor(
        { model, dialect, settings },
        { temperature: 0.4, ...(tell === undefined ? {} : { tell }) },
      );
      const given = { env: "household", policy, group: 1, seed: createRng(seed).int(2 ** 31), ...asked };
      return (await rollout({ ...given, ...(quick ? { maxSteps: 3 } : {}) })).trajectories;
    });
  } finally {
    await model.close();
  }
}

export const solved = (of: readonly Trajectory[]): number => mean(of.map(({ success }) => Number(success === true)));
export const steps = (of: readonly Trajectory[]): number => mean(of.map((one) => one.steps.length));

export const entryOf = (
  name: string,
  goals: readonly string[],
  text: string,
  status: Status = "active",
  level: LibraryEntry["level"] = "task",
): LibraryEntry => ({
  name,
  text,
  status,
  level,
  description: text,
  when: { goals },
  version: name,
  links: 1,
  support: { successes: 1, failures: 0 },
  statistics: NO_STATISTICS,
  source: "study",
});

export const telling =
  (selector: Selector) =>
  ({ goal }: { readonly goal: string }): string | undefined => {
    const text = selector.select({ goal }).skills.map((skill) => skill.text);
    return text.length === 0 ? undefined : text.join(" ");
  };

export function rankCorrelation(left: readonly number[], right: readonly number[]): number {
  // Equal values share the mean of their places.
  const ranks = (of: readonly number[]): number[] =>
    of.map((value) => of.filter((one) => one < value).length + (of.filter((one) => one === value).length - 1) / 2);
  const [one, other] = [ranks(left), ranks(right)];
  const [centre, middle] = [mean(one), mean(other)];
  const sum = (of: (at: number) => number): number => one.reduce((total, _, at) => total + of(at), 0);
  const away = (at: number): number => (one[at] as number) - centre;
  const apart = (at: number): number => (other[at] as number) - middle;
  const spread = Math.sqrt(sum((at) => away(at) ** 2) * sum((at) => apart(at) ** 2));
  return spread === 0 ? 0 : sum((at) => away(at) * apart(at)) / spread;
}

export const tokensOf = ({ streams }: Trajectory): number =>
  streams.reduce((total, { mask }) => total + mask.reduce<number>((sum, on) => sum + on, 0), 0);

/** Least squares, for each task of the stream. */
export function slope(values: readonly number[]): number {
  const [centre, middle] = [(values.length - 1) / 2, mean(values)];
  const square = values.reduce((sum, _, at) => sum + (at - centre) ** 2, 0);
  return square === 0 ? 0 : values.reduce((sum, value, at) => sum + (at - centre) * (value - middle), 0) / square;
}
