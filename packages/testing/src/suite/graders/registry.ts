/** The graders by name. A new one is a file, a test and a line here. */
import { errorData, isAbort } from "limbeck-base/base/errors";
import { resolveOptions } from "limbeck-base/base/options";
import { lookUp } from "limbeck-base/base/registry";
import { unscored, scored } from "limbeck-base/trajectory/score";
import type { Score } from "limbeck-base/trajectory/trajectory";
import type { Finished, Grade, Grader, GraderTools } from "../grader.ts";
import type { Graders } from "../suite.ts";
import { anchored } from "./anchored.ts";
import { calls } from "./calls.ts";
import { docscope } from "./docscope.ts";
import { evidence } from "./evidence.ts";
import { intents } from "./intents.ts";
import { judge } from "./judge.ts";
import { number } from "./number.ts";
import { outcome } from "./outcome.ts";
import { pythonTests } from "./python-tests.ts";
import { reward } from "./reward.ts";
import { stances } from "./stances.ts";
import { state } from "./state.ts";
import { text } from "./text.ts";
import { traceAxes } from "./trace-axes.ts";
import { verdict } from "./verdict.ts";

export const graders = {
  anchored,
  calls,
  docscope,
  evidence,
  intents,
  judge,
  number,
  outcome,
  "python-tests": pythonTests,
  reward,
  stances,
  state,
  text,
  "trace-axes": traceAxes,
  verdict,
} as const satisfies Record<string, Grader>;

/** A link of a chain with its options read. */
export interface ChainLink {
  readonly name: string;
  /** What is wrong with an answer, in words. */
  readonly check: (answer: Finished["answer"]) => string | undefined;
  readonly grade: (finished: Finished, tools: GraderTools) => Promise<Grade>;
}

/** The graders of a task, checked before anything is played. `own` are graders of code beside those by name. */
export function chainOf(given: Graders, own: Readonly<Record<string, Grader>> = {}): readonly ChainLink[] {
  return (Array.isArray(given) ? given : [given]).map((use) => {
    const { use: id, as = id, options = {} } = typeof use === "string" ? { use } : use;
    const grader = lookUp<Grader>({ ...graders, ...own }, id, "grader");
    const read = resolveOptions(grader.options, options, `the grader ${id}`);
    return {
      name: as,
      check: (answer) => grader.check?.(answer, read),
      grade: async (finished, tools) => await grader.grade(finished, read, tools),
    };
  });
}

export interface ChainGrade {
  /** The product of the parts; unscored where one of them is, unless another one is 0 already. */
  readonly score: Score;
  readonly parts: Readonly<Record<string, Grade>>;
}

/** Right answer, wrong evidence: 0. */
export async function gradeChain(
  chain: readonly ChainLink[],
  finished: Finished,
  tools: GraderTools,
): Promise<ChainGrade> {
  const parts: Record<string, Grade> = {};
  for (const { name, check, grade } of chain) {
    const fault = check(finished.answer);
    parts[name] = fault === undefined ? await graded(() => grade(finished, tools)) : { score: unscored(fault) };
  }
  const scores = Object.values(parts).map(({ score }) => score);
  if (scores.some((score) => score.kind === "scored" && score.value === 0)) return { score: scored(0), parts };
  const lost = scores.find((score) => score.kind === "unscored");
  const product = scores.reduce((total, score) => total * (score.kind === "scored" ? score.value : 1), 1);
  return { score: lost ?? scored(product), parts };
}

async function graded(grade: () => Promise<Grade>): Promise<Grade> {
  try {
    const given = await grade();
    const { score } = given;
    if (score.kind === "unscored" || (score.value >= 0 && score.value <= 1)) return given;
    return { score: unscored(`the grader gave ${score.value}, which is not from 0 to 1`) };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { score: unscored(errorData(error).message) };
  }
}
