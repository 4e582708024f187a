/** How much of what a question needs a retriever finds when it is given the question itself. */
import { EngineError } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Question } from "./load.ts";
import type { Retriever } from "./retriever.ts";

export interface Recall {
  readonly topk: number;
  /** Mean share of a question's supporting passages among the first `topk`. */
  readonly share: number;
  /** Share of the questions for which all of them are there. */
  readonly complete: number;
}

/** Requests in flight at once, for retrievers across a network. */
const IN_FLIGHT = 8;

export async function measureRecall(
  retriever: Retriever,
  questions: readonly Question[],
  topk: number,
): Promise<Recall> {
  const known = questions.filter((question) => question.support.length > 0);
  if (known.length === 0) {
    throw new EngineError(
      "bad-research-file",
      `None of the ${questions.length} questions names its supporting passages.`,
    );
  }
  const shares = await mapLimit(known, IN_FLIGHT, async ({ question, support }) => {
    const found = new Set((await retriever.retrieve(question, topk)).map((passage) => passage.id));
    return support.filter((id) => found.has(id)).length / support.length;
  });
  return { topk, share: mean(shares), complete: mean(shares.map((share) => (share === 1 ? 1 : 0))) };
}
