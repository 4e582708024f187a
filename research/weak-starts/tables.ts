/** The tables of the study of weak starts, from the files of its trainings. */
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { tInterval } from "limbeck/eval";
import type { WeakRun } from "./weak-run.ts";

/** Runs of one arm, by seed. */
type BySeed = ReadonlyMap<number, WeakRun>;

const solvedShare = ({ after }: WeakRun): number =>
  after === undefined ? Number.NaN : after.solved / Math.max(1, after.tasks);

/** Everything that passed through a model, sampled, read or scored. */
export function tokensOf({ updates }: WeakRun): number {
  const last = updates.at(-1);
  return last === undefined ? 0 : last.sampledTokens + last.modelTokens;
}

/** Success of the training episodes in the five updates that ended with so many tokens spent; not measured apart. */
function trainedWith(run: WeakRun, tokens: number): number {
  const paid = run.updates.filter(({ sampledTokens, modelTokens }) => sampledTokens + modelTokens <= tokens);
  return mean(paid.slice(-5).map(({ success }) => success));
}

export function tables(runs: readonly WeakRun[], control = "grpo"): string {
  const done = runs.filter(({ after }) => after !== undefined);
  const arms = [...new Set(done.map(({ arm }) => arm))].filter((arm) => arm !== "start");
  const of = (arm: string): BySeed => new Map(done.filter((one) => one.arm === arm).map((one) => [one.seed, one]));
  const [start, base] = [of("start"), of(control)];
  const least = Math.min(...[...base.values()].map(tokensOf));
  const lines = arms.map((arm) => {
    const own = of(arm);
    const all = [...own.values()];
    const updates = all.map((one) => one.updates.at(-1));
    const figure = (value: (last: NonNullable<(typeof updates)[number]>) => number): string =>
      Math.round(mean(updates.flatMap((last) => (last === undefined ? [] : [value(last)])))).toString();
    const seconds = Math.round(mean(all.map((one) => one.updates.reduce((sum, row) => sum + row.seconds, 0))));
    const tokens = mean(all.map(tokensOf));
    const stopped = all.filter(({ reason }) => reason === "stopped").length;
    return [
      arm,
      String(all.length),
      shown(all.map(solvedShare)),
      paired(own, start, solvedShare),
      arm === control ? "" : paired(own, base, solvedShare),
      paired(own, base, (run) => trainedWith(run, least)),
      (tokens / 1_000).toFixed(0),
      base.size === 0 ? "" : (tokens / mean([...base.values()].map(tokensOf))).toFixed(2),
      figure((last) => last.environmentSteps),
      String(seconds),
      String(stopped),
    ];
  });
  const heads = ["arm", "seeds", "held-out success", "less the start", `less ${control}`, `training, less ${control}, at ${Math.round(least / 1_000)} thousand tokens`, "tokens, thousands", `of ${control}'s`, "steps", "seconds", "stopped"]; // prettier-ignore
  const begin = [...start.values()].map(solvedShare);
  const rows = [heads, heads.map((_, at) => (at === 0 ? "---" : "---:")), ...lines];
  const each = done.map((one) => `- ${one.arm} ${one.seed}: ${solvedShare(one).toFixed(3)} (${one.after?.solved} of ${one.after?.tasks}), training ${curve(one)}`); // prettier-ignore
  const begun = begin.length === 0 ? [] : ["", `The start: ${shown(begin)}.`];
  return [...rows.map((cells) => `| ${cells.join(" | ")} |`), ...begun, "", ...each].join("\n");
}

/** Success of the training episodes, a figure for each five updates. */
function curve({ updates }: WeakRun): string {
  const parts: string[] = [];
  for (let at = 0; at < updates.length; at += 5) {
    parts.push(mean(updates.slice(at, at + 5).map(({ success }) => success)).toFixed(2));
  }
  return parts.join(", ");
}

function shown(values: readonly number[]): string {
  if (values.length < 2) return values.map((value) => value.toFixed(3)).join("");
  const { mean: middle, low, high } = tInterval(values);
  return `${middle.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

function paired(own: BySeed, other: BySeed, value: (run: WeakRun) => number): string {
  const differences = [...own].flatMap(([seed, run]) => {
    const against = other.get(seed);
    return against === undefined ? [] : [value(run) - value(against)];
  });
  return shown(differences);
}
