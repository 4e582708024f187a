/** What the journals of an arena hold, run by run. */
import {
  isFinished,
  journalFile,
  readJournal,
  type FinalLine,
  type JournalLine,
  type PointLine,
  type RetentionLine,
  type UpdateLine,
} from "./journal.ts";
import { spentAt } from "./budget.ts";

export { spentAt } from "./budget.ts";
import type { ArenaPlan } from "./plan.ts";

export interface RunResult {
  readonly arm: string;
  readonly seed: number;
  readonly finished: boolean;
  /** In rising order, one for each update that was measured. */
  readonly points: readonly PointLine[];
  readonly updates: readonly UpdateLine[];
  readonly final: FinalLine | undefined;
  readonly retention: RetentionLine | undefined;
  readonly notices: readonly string[];
  /** Why it failed, when its last life did. */
  readonly failure: string | undefined;
}

/**
 * Every run of the plan, as far as its journal has come.
 *
 * @example
 * import { readPlan } from "limbeck-training/arena/plan";
 *
 * const arms = [{ name: "grpo", recipe: "grpo" }];
 * const plan = readPlan({ version: 1, arms, seeds: [1], env: "household", model: "my-model", budget: { account: "steps", amount: 8000 } });
 * console.log((await readResults(plan, "not-begun-yet")).map(({ arm, seed, finished }) => [arm, seed, finished])); // [ [ "grpo", 1, false ] ]
 */
export async function readResults(plan: ArenaPlan, dir: string): Promise<RunResult[]> {
  const runs: RunResult[] = [];
  for (const { name } of plan.arms) {
    for (const seed of plan.seeds) {
      runs.push(runResult(name, seed, await readJournal(journalFile(dir, name, seed))));
    }
  }
  return runs;
}

export function runResult(arm: string, seed: number, lines: readonly JournalLine[]): RunResult {
  const of = <Kind extends JournalLine["kind"]>(kind: Kind): Extract<JournalLine, { readonly kind: Kind }>[] =>
    lines.filter((line): line is Extract<JournalLine, { readonly kind: Kind }> => line.kind === kind);
  const last = lines.at(-1);
  return {
    arm,
    seed,
    finished: isFinished(lines),
    points: latest(of("point")),
    updates: latest(of("update")),
    final: of("final").at(-1),
    retention: of("retention").at(-1),
    notices: of("notice").map(({ message }) => message),
    failure: last?.kind === "failed" ? last.message : undefined,
  };
}

/** Whether a run has trained with all that the plan gives it; one that may go on later has been given less before. */
export function isTrained(
  { budget, goesOn }: Pick<ArenaPlan, "budget" | "goesOn">,
  lines: readonly JournalLine[],
): boolean {
  const trained = lines.findLast((line) => line.kind === "trained");
  if (trained === undefined) return isFinished(lines);
  return goesOn !== true || spentAt(budget.account, trained) >= budget.amount;
}

/** A run that went on from a checkpoint may have written a line twice; the later one counts. */
function latest<Line extends { readonly update: number }>(lines: readonly Line[]): Line[] {
  const byUpdate = new Map(lines.map((line) => [line.update, line]));
  return [...byUpdate.values()].toSorted((left, right) => left.update - right.update);
}
