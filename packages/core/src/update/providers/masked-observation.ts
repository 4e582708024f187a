/** Each step scored again with the observation before it replaced by one that says nothing: the counterfactual of InfoPO. */
import { option } from "limbeck-base/base/option";
import { concat } from "limbeck-base/base/concat";
import type { TrajectoryBatch } from "../../credit/from-trajectories.ts";
import { endsItself } from "limbeck-policy/policy/dialect";
import type { UpdateContext } from "../context.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { lastTokens, placesOf, type RowSpan } from "./contexts.ts";
import { defineProvider, statisticsOf, withLogprobs, withRows } from "./provider.ts";

/** What stands in the place of an observation. */
const MASKS = { silence: "Nothing happens.", dots: "…" } as const;

export const maskedObservation = defineProvider({
  info: {
    title: "Masked observation",
    meaning: "Scores the tokens of each step after the first again, with its last observation replaced.",
    cost: "every step after the first is scored once more, on shared history",
    departures: [
      "The observation is replaced by a sentence that tells nothing, of the same length in tokens: its last token is repeated, or it is cut.",
      "A step whose message does not follow its predecessor's answer in one context (a prompt built anew) counts as unchanged.",
    ],
  },
  supplies: ["withoutObservation"],
  options: {
    mask: option.choice("silence", Object.keys(MASKS), "what is shown instead"),
  },
  provide: async (batch, episodes, update, { mask }) => {
    const rows = maskedRows(batch, episodes, update, MASKS[mask as keyof typeof MASKS]);
    const wanted = rows.flatMap((row, at) => (row === undefined ? [] : [{ ...row, at }]));
    const scored = await statisticsOf(
      update,
      wanted.map(({ ids, tokens }) => ({ ids, mask: lastTokens(ids.length, tokens) })),
      ["logprob"],
    );
    const found = new Map(
      wanted.map(({ ids, tokens, at }, place) => [
        at,
        Float64Array.from(scored[place]?.logprob?.subarray(ids.length - tokens) ?? []),
      ]),
    );
    let lost = 0;
    const provided = withRows(batch, (row, at) => {
      if (row.step === 0) return row;
      const withoutObservation = found.get(at) ?? row.logprobs?.old;
      if (!found.has(at)) lost += 1;
      return withoutObservation === undefined ? row : withLogprobs(row, { withoutObservation });
    });
    return { batch: provided, metrics: { lost } };
  },
});

interface MaskedRow {
  readonly ids: Int32Array;
  readonly tokens: number;
}

function maskedRows(
  batch: TrajectoryBatch,
  episodes: readonly Trajectory[],
  { dialect, model }: UpdateContext,
  text: string,
): (MaskedRow | undefined)[] {
  const places = placesOf(batch, episodes);
  return places.map((place, at) => {
    const before = places[at - 1];
    if (place === undefined || before === undefined || !follows(before, place)) return undefined;
    const answer = before.stream.ids.subarray(before.start, before.end);
    const message = ofLength(place.start - before.end, text, (own) =>
      dialect.turn(own, { cut: !endsItself(answer, dialect) }),
    );
    const own = place.stream.ids.subarray(place.start, place.end);
    const ids = concat(Int32Array, [place.stream.ids.subarray(0, before.end), message, own]);
    return ids.length > model.config.contextLength ? undefined : { ids, tokens: own.length };
  });
}

function follows(before: RowSpan, place: RowSpan): boolean {
  return before.stream === place.stream && before.step.index === place.step.index - 1;
}

/** The message of this length: what every message has around it stays, the words between are repeated or cut. */
function ofLength(length: number, text: string, write: (text: string) => Int32Array): Int32Array {
  const whole = write(text);
  const other = write("?");
  const most = Math.min(whole.length, other.length);
  let head = 0;
  while (head < most && whole[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && whole.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const words = whole.slice(head, whole.length - tail);
  const room = Math.max(0, length - head - tail);
  const filled = Int32Array.from({ length: room }, (_, at) => words[Math.min(at, words.length - 1)] ?? 0);
  return concat(Int32Array, [whole.slice(0, head), filled, whole.slice(whole.length - tail)]);
}
