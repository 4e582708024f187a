/** What a rollout says when it ends, and whether it has seen enough. */
import type { EngineError } from "../../base/index.ts";
import type { KeptEpisodes, RollOutProgress } from "../../walk/index.ts";
import { successOf, type EpisodeTally } from "../../trajectory/index.ts";
import { episodesLost, isEnough, lostWords } from "../../trajectory/tally.ts";
import { cleanLine } from "../look/clean-text.ts";
import type { RolloutFrame } from "./rollout.inputs.ts";
import { formatCount, formatDuration, formatNumber, formatRate, plural } from "../look/units.ts";
import type { RunEnd } from "../../run/with-run.ts";

export interface RolloutOutcome {
  readonly progress: (Pick<RollOutProgress, "succeeded" | "failed"> & { readonly spent: object }) | undefined;
  readonly trajectories: number;
  /** Those of which success or failure is known. */
  readonly judged: number;
  readonly steps: number;
  /** Episodes that go on in the next rollout of the run. Default: none. */
  readonly kept?: KeptEpisodes;
  /** What the strategy did, by metric. Default: none. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Why episodes were lost, where it is known. */
  readonly losses?: Pick<EpisodeTally, "causes" | "first">;
}

/** A rollout that lost more than half of its episodes has failed, though what is left is stored. */
export function tooFew({ progress, trajectories, losses = { causes: {} } }: RolloutOutcome): EngineError | undefined {
  const lost = progress?.failed ?? 0;
  const counts = { ...losses, seen: trajectories - lost, lost };
  if (lost === 0 || isEnough(counts)) return undefined;
  const wayOut = "What was seen is stored. Mend the cause and roll out again.";
  return episodesLost("The rollout has too few episodes", counts, wayOut);
}

export function sayRollout(
  frame: Pick<RolloutFrame, "emit" | "print" | "style">,
  { progress, trajectories, judged, steps, losses, kept = { groups: 0, tokens: 0 }, metrics = {} }: RolloutOutcome,
  { run, fault, durationMs }: RunEnd,
  more: object = {},
): void {
  const { succeeded = 0, failed = 0, spent = {} } = progress ?? {};
  const causes = losses?.causes ?? {};
  const complete = fault === undefined;
  const told = { trajectories, steps, succeeded, failed, causes, spent, kept, metrics };
  frame.emit({ event: "end", run, ...told, complete, durationMs, ...more });
  const { print, style } = frame;
  if (run === null) {
    print(`${style.yellow("!")} Nothing was rolled out; a budget of 0 pays no episode.`);
    return;
  }
  const { success, low, high } = successOf({ seen: judged, solved: succeeded, lost: failed });
  const share = success === null ? "" : `, ${formatRate({ value: success, low, high })}`;
  const lost = failed === 0 ? "" : `, ${cleanLine(lostWords({ lost: failed, causes }))}`;
  const mark = complete && failed === 0 ? style.green("✓") : style.yellow("!");
  print(
    `${mark} ${plural(trajectories, "trajectory", "trajectories")}, ${plural(steps, "step")} in run ${style.cyan(run)}: ${formatCount(succeeded)} succeeded${share}${lost} ${style.dim(`(${formatDuration(durationMs)})`)}`,
  );
  const counted = Object.entries(metrics).map(([name, value]) => `${name} ${formatNumber(value)}`);
  if (counted.length > 0) print(style.dim(`  ${counted.join(", ")}`));
  if (kept.groups === 0) return;
  const words = `${plural(kept.groups, "group")}, ${plural(kept.tokens, "token")} kept for the next rollout`;
  print(`  ${words}; --run ${run} --resume goes on with them`);
}
