/** Rows of whole conversations in the place of rows of steps, with their turns: what bi-level GAE works on. */
import type { CreditRow } from "../../credit/credit.ts";
import type { TrajectoryBatch } from "../../credit/from-trajectories.ts";
import { createForest } from "limbeck-base/trajectory/forest";
import type { Step, TokenStream } from "limbeck-base/trajectory/trajectory";
import { defineProvider } from "./provider.ts";

interface Member {
  readonly row: CreditRow;
  readonly step: Step;
}

export const conversations = defineProvider({
  info: {
    title: "Whole conversations",
    meaning: "Joins the steps of one token stream to a row, and says where its turns begin and end.",
    cost: "nothing",
    departures: [
      "The reward of a turn is its step's; what the outcome holds beyond the rewards of steps stands at the last turn.",
    ],
  },
  supplies: ["turns"],
  options: {},
  provide: async (batch, episodes) => {
    const forest = createForest(episodes);
    const streams = new Map<TokenStream, Member[]>();
    const alone: Member[] = [];
    batch.rows.forEach((row, at) => {
      const step = batch.steps[at] as Step;
      const stream = step.span === undefined ? undefined : forest.get(row.trajectory)?.streams[step.span.stream];
      if (stream === undefined) alone.push({ row, step });
      else streams.set(stream, [...(streams.get(stream) ?? []), { row, step }]);
    });
    const whole = [...streams].map(([stream, members]) => joinedRow(stream, members, batch));
    const all = [...whole, ...alone.map(({ row, step }) => ({ row: { ...row, turns: [] }, step }))];
    return {
      batch: { ...batch, rows: all.map(({ row }) => row), steps: all.map(({ step }) => step) },
      metrics: { conversations: whole.length },
    };
  },
});

/** Arrays run from the first token of the first answer to the last of the last one; observations have mask 0. */
function joinedRow(stream: TokenStream, members: readonly Member[], batch: TrajectoryBatch): Member {
  const [first, last] = [members[0] as Member, members.at(-1) as Member];
  const from = first.step.span?.start ?? 0;
  const end = last.step.span?.end ?? from;
  const spans = members.map(({ step }) => ({
    start: (step.span?.start ?? 0) - from,
    end: (step.span?.end ?? 0) - from,
  }));
  const mask = stream.mask.slice(from, end);
  const tokenRewards = new Float64Array(end - from);
  let told = 0;
  members.forEach(({ row }, at) => {
    const { start, end: stop } = spans[at] as { readonly start: number; readonly end: number };
    const token = mask.lastIndexOf(1, stop - 1);
    // A turn that the policy did not speak earns nothing for it.
    if (token < start) return;
    tokenRewards[token] = row.reward ?? 0;
    told += row.reward ?? 0;
  });
  const outcome = batch.trajectories.get(first.row.trajectory)?.outcome ?? told;
  const final = mask.lastIndexOf(1);
  if (final >= 0) tokenRewards[final] = (tokenRewards[final] as number) + outcome - told;
  const logprobs = stream.logprobs?.subarray(from, end);
  const { values: _values, ...plain } = first.row;
  return {
    row: {
      ...plain,
      mask,
      tokenRewards,
      turns: spans,
      valid: members.every(({ row }) => row.valid),
      truncated: last.row.truncated === true,
      ...(logprobs === undefined ? {} : { logprobs: { old: Float64Array.from(logprobs) } }),
    },
    step: { ...first.step, span: { stream: first.step.span?.stream ?? 0, start: from, end } },
  };
}
