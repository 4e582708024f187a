/** What a lift test will take, known and asked before anything is run. */
import { askFirst } from "limbeck-base/base/ask-first";
import { EngineError } from "limbeck-base/base/errors";
import { formatCount, plural } from "limbeck-base/base/units";
import { ARMS } from "limbeck-core/eval/lift/arms";
import { proposePairs } from "limbeck-core/eval/lift/propose-pairs";
import { createSelector, tokensOf, type Selector } from "limbeck-recorder/selection/select";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { armTexts, fittingTasks, tasksFor, type Bench, type Lifting } from "./lift-bench.ts";
import { freshTasks } from "./lift-together.ts";

export interface Planned {
  readonly skill: LibraryEntry;
  readonly selector: Selector;
  readonly tasks: readonly Task[];
}

/** Most tokens of a chat's answer where nothing is given. */
const ANSWER_TOKENS = 1_024;

/** The tasks of each skill. Asks where runs cost money and neither --yes nor a budget was given. */
export async function planLift(lifting: Lifting, skills: readonly LibraryEntry[]): Promise<Planned[]> {
  const { given, context, bench } = lifting;
  const planned: Planned[] = [];
  for (const skill of skills) {
    const selector = createSelector([skill], { statuses: [skill.status] });
    const tasks = await fittingTasks(tasksFor(given), bench, ({ goal }) => selector.select({ goal }).skills.length > 0);
    planned.push({ skill, selector, tasks });
  }
  const { trials, worthwhile, yes, budget, dryRun } = given;
  const selector = createSelector(skills.map((skill) => ({ ...skill, status: "active" as const })));
  const together = dryRun
    ? []
    : await fittingTasks(
        tasksFor(given),
        freshTasks(given, bench),
        ({ goal }) => selector.select({ goal }).skills.length > 0,
      );
  const found = planned.map((one) => countRuns(one, bench, trials));
  const known = found.reduce((sum, one) => sum + one.known, 0);
  const tried = planned.reduce((sum, { tasks }) => sum + tasks.length * trials, 0);
  const all = found.reduce((sum, one) => sum + one.runs, 0) + ARMS.length * together.length;
  const runs = Math.min(all, budget.runs ?? all);
  const usd = dearest([...planned.flatMap(({ tasks }) => tasks), ...together], given.answerTokens, lifting, trials);
  const proposed = proposePairs(worthwhile);
  context.emit({ event: "plan", skills: skills.length, tasks: tried, trials, proposed, runs, known, usd: usd ?? null });
  if (!bench.costs || runs === 0 || yes || Object.keys(budget).length > 0) return planned;
  const cost = usd === undefined ? "" : `, for at most $${usd.toFixed(2)}`;
  const what = `${plural(runs, "run")} at most${cost}; ${plural(known, "answer is", "answers are")} known and cost nothing`;
  const unasked = `This lift takes ${what}. --yes begins; --budget runs=N is never passed.`;
  if (await askFirst(context, `This lift takes ${what}. Begin? [y/N] `, unasked, { runs })) return planned;
  throw new EngineError("needs-yes", unasked, { details: { runs: formatCount(runs) } });
}

function countRuns({ selector, tasks }: Planned, bench: Bench, trials: number) {
  const { textFor, placeboFor } = armTexts(selector, bench);
  const texts = { bare: () => undefined, placebo: placeboFor, skill: textFor };
  let unknown = 0;
  for (let trial = 1; trial <= trials; trial += 1)
    for (const arm of ARMS) unknown += bench.ledger.unknown(tasks, texts[arm], { arm, trial });
  return { runs: unknown, known: ARMS.length * tasks.length * trials - unknown };
}

/** What the calls cost at most, where a task is one question and its answer. */
function dearest(
  tasks: readonly Task[],
  answerTokens = ANSWER_TOKENS,
  { given, bench: { account, env } }: Lifting,
  trials: number,
): number | undefined {
  const { prices } = account;
  if (prices === undefined || env.id !== "dataset" || given.prompts === "context") return undefined;
  // With room for the skill or its placebo, and what a chat's form adds.
  const read = tasks.reduce((sum, { goal }) => sum + tokensOf(goal) + 1_000, 0) * ARMS.length * trials;
  const said = tasks.length * ARMS.length * trials * answerTokens;
  return (read * prices.usdPerMillionRead + said * prices.usdPerMillionSaid) / 1e6;
}
