/** The same question several times; what cannot be used is left out and the last reason kept. */
import { badOption } from "limbeck-base/base/options";
import { option } from "limbeck-base/base/option";
import type { OptionTable } from "limbeck-base/base/option-table";
import { concurrencyOption, noAward } from "./each-episode.ts";
import { failureScore } from "./failure-text.ts";
import { readReply, type Scale } from "./judge-reply.ts";
import type { Award, Givens } from "./reward.ts";

/** Options of every judge that answers with numbers. */
export const judgeOptions = {
  least: option.number(0, "worst answer"),
  most: option.number(10, "best answer"),
  samples: option.number(3, "how often each trajectory is judged", { least: 1, most: 64, whole: true }),
  withReasoning: option.flag(false, "show the judge the agent's hidden reasoning"),
  concurrency: concurrencyOption("trajectories judged at once"),
} as const satisfies OptionTable;

export function checkScale(id: string, { least, most }: { readonly least: number; readonly most: number }): void {
  if (least >= most) throw badOption(id, "most", most, `a number above least (${least})`);
}

export interface Samples<Answer> {
  /** What could be used. A judge's: a value from 0 to 1 for each name. */
  readonly answers: readonly Answer[];
  /** Why the last of the others could not; empty when all could. */
  readonly lost: string;
}

export interface Judged {
  readonly awards: readonly Award[];
  /** Of each thing that was judged, what the usable answers say of it: what judges agree about, or not. */
  readonly ratings: readonly (readonly number[])[];
}

/** Nothing was rated, and this is why. */
export function noRating(why: string): Judged {
  return { awards: noAward(why), ratings: [] };
}

export async function askJudge(
  judge: NonNullable<Givens["judge"]>,
  prompt: string,
  names: readonly string[],
  { samples, ...scale }: Scale & { readonly samples: number },
): Promise<Samples<ReadonlyMap<string, number>>> {
  return await askSeveral("the judge", samples, async () => readReply(await judge(prompt), names, scale));
}

/** One answer after the other; `ask` gives what it read, or why it cannot be used. */
export async function askSeveral<Answer>(
  who: string,
  times: number,
  ask: () => Promise<Answer | string>,
): Promise<Samples<Answer>> {
  const answers: Answer[] = [];
  let lost = "";
  for (let asked = 0; asked < times; asked += 1) {
    try {
      const read = await ask();
      if (typeof read === "string") lost = read;
      else answers.push(read);
    } catch (error) {
      const failure = failureScore(who, error);
      if (failure.kind === "unscored") lost = failure.why;
    }
  }
  return { answers, lost };
}
