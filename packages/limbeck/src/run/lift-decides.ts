/** Who says whether an answer is right: the line of the dataset, a function of the user's, or a judge that was held against a person. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isThere } from "limbeck-base/base/files";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { givenText } from "limbeck-base/base/given-file";
import { withoutUndefined } from "limbeck-base/base/fields";
import { chatJudge } from "limbeck-core/eval/lift/chat-judge";
import { undecidedError, type AnswerJudge } from "limbeck-core/eval/lift/dataset-env";
import { saysWhatIsRight } from "limbeck-core/eval/lift/expected";
import { measureAgreement, readVerdicts, type Agreement } from "limbeck-core/eval/lift/judge-agreement";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { AgentJudge } from "limbeck-worlds/agent/program";
import type { LiftContext, LiftInput } from "./lift.inputs.ts";

export interface Decider {
  readonly judge?: AnswerJudge;
  readonly agreement?: Agreement;
}

export async function openDecider({ decide, judge, verdicts }: LiftInput, context: LiftContext): Promise<Decider> {
  if (judge !== (verdicts !== undefined) || (judge && decide !== undefined)) {
    throw usageError(
      '--judge counts only beside a person: give --verdicts FILE with at least 30 answers that you judged, each {"prompt", "answer", "given", "right"}, and no --decide.',
    );
  }
  if (decide !== undefined) return { judge: await ownFunction(resolve(context.cwd, decide), decide) };
  if (verdicts === undefined) return {};
  const persons = readVerdicts(await givenText(context, verdicts, "the verdicts"), verdicts);
  const asked = await chatJudge(context);
  const agreement = await measureAgreement(asked, persons, { signal: context.signal });
  context.emit({ event: "agreement", ...agreement });
  return { judge: asked, agreement };
}

async function ownFunction(path: string, typed: string): Promise<AnswerJudge> {
  if (!(await isThere(path))) throw new EngineError("file-missing", `There is no module "${typed}" for --decide.`);
  const { default: own } = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
    readonly default?: unknown;
  };
  if (typeof own !== "function") {
    throw new EngineError(
      "bad-part",
      `"${typed}" has no default export that is a function: export default (answer, task) => answer.includes(task.answer)`,
    );
  }
  return async (row, answer) => {
    const said: unknown = await (own as (answer: string, task: object) => unknown)(answer, row);
    if (typeof said === "boolean") return said;
    throw new EngineError(
      "bad-part",
      `The function of "${typed}" gave ${typeof said} for an answer; it gives true or false.`,
    );
  };
}

/** The same for a program that has ended: its whole output is the answer. */
export function agentJudge(judge: AnswerJudge | undefined): { readonly judge?: AgentJudge } {
  if (judge === undefined) return {};
  const ofProgram: AgentJudge = async ({ task: { id, goal, data }, output }) =>
    judge({ id, prompt: goal, ...data }, output, undefined);
  return { judge: ofProgram };
}

/** Each task of an agent needs something that tells a success. */
export function requireOutcomes(tasks: readonly Task[], { judge }: Decider, { check, ownOutcome }: LiftInput): void {
  if (judge !== undefined || check !== undefined || ownOutcome) return;
  const open = tasks.find(({ data = {} }) => {
    const { check: own, repository, ...expected } = withoutUndefined(data);
    return own === undefined && repository === undefined && !saysWhatIsRight(expected);
  });
  if (open !== undefined) throw undecidedError(`The task "${open.id}"`);
}
