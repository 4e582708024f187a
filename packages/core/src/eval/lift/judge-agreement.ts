/** How far a judge agrees with a person: without it, what a judge says of answers proves nothing. */
import { z } from "zod";
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import type { Interval } from "limbeck-base/base/statistics/interval";
import { wilson } from "limbeck-base/base/statistics/share";
import type { AnswerJudge } from "./dataset-env.ts";

export const LEAST_VERDICTS = 30;

const verdictSchema = z.object({
  prompt: z.string(),
  answer: z.string().optional(),
  /** The answer that was judged. */
  given: z.string(),
  /** The verdict of the person. */
  right: z.boolean(),
});
export type PersonVerdict = z.infer<typeof verdictSchema>;

export interface Agreement extends Interval {
  /** Verdicts of the person that the judge gave one for too. */
  readonly verdicts: number;
  /** The judge could not say. */
  readonly unscored: number;
  /** Share of them on which both agree, with its interval in low and high. */
  readonly share: number;
  /** Cohen's kappa: agreement beyond chance, (share - chance) / (1 - chance); 1 where chance leaves no room and they agree. */
  readonly kappa: number;
}

export function readVerdicts(text: string, path: string): PersonVerdict[] {
  const verdicts = text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const parsed = verdictSchema.safeParse(parseJson(line));
    if (parsed.success) return [parsed.data];
    throw new EngineError(
      "bad-input",
      `Line ${at + 1} of ${path} is no verdict: {"prompt": "…", "answer": "what is right", "given": "the answer that you judged", "right": true or false}.`,
    );
  });
  if (verdicts.length >= LEAST_VERDICTS) return verdicts;
  throw new EngineError(
    "bad-input",
    `${path} has ${verdicts.length} verdicts of a person; a judge counts from ${LEAST_VERDICTS} on. Judge more answers yourself, one a line.`,
  );
}

export async function measureAgreement(
  judge: AnswerJudge,
  verdicts: readonly PersonVerdict[],
  { signal, concurrency = 8 }: { readonly signal?: AbortSignal; readonly concurrency?: number } = {},
): Promise<Agreement> {
  const said = await mapLimit(verdicts, concurrency, async ({ prompt, answer, given }, at, stop) => {
    const row = { id: `verdict ${at + 1}`, prompt, answer };
    // What the judge cannot say is counted below.
    return await judge(row, given, signal ?? stop).catch(() => undefined);
  });
  const both = verdicts.flatMap(({ right }, at) => (said[at] === undefined ? [] : [[right, said[at]] as const]));
  if (both.length < LEAST_VERDICTS) {
    throw new EngineError(
      "nothing-measured",
      `The judge gave a verdict on ${both.length} of ${verdicts.length} answers that a person judged; it counts from ${LEAST_VERDICTS} on. Give another judge, or more verdicts.`,
    );
  }
  const agreed = both.filter(([person, model]) => person === model).length;
  const share = agreed / both.length;
  const rightBy = (which: 0 | 1): number => both.filter((pair) => pair[which]).length / both.length;
  const chance = rightBy(0) * rightBy(1) + (1 - rightBy(0)) * (1 - rightBy(1));
  const kappa = chance === 1 ? 1 : (share - chance) / (1 - chance);
  return {
    verdicts: both.length,
    unscored: verdicts.length - both.length,
    share,
    kappa,
    ...wilson(agreed, both.length),
  };
}
