/** A reward for the first part of an answer and one for the rest: what SD-GRPO keeps apart. */
import { option } from "limbeck-base/base/option";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { placesOf } from "./contexts.ts";
import { defineProvider, withRows, withSignals } from "./provider.ts";

/** What ends the first part of an answer. */
const MARKS = { thought: "</think>", word: " ", search: "</search>" } as const;

export const segmentRewards = defineProvider({
  info: {
    title: "Rewards of two segments",
    meaning:
      "Cuts each answer behind a mark; the first part earns whether the action was understood or found what was needed, the rest the outcome.",
    cost: "nothing",
    departures: [
      "The published first reward judges which frames were chosen; here it is 1 for an action that the world understood and 0 otherwise; where the world tells what a search brought and the task what supports its answer, it is 1 for a search that brought some of it.",
      "thought: the first part ends with </think>. word: it is the first word, the verb of a command. search: it ends with </search>, so that a search is all first part and an answer has none. An answer without the mark has no first part.",
    ],
  },
  supplies: ["splitRewards"],
  options: {
    mark: option.choice("thought", Object.keys(MARKS), "what ends the first part"),
  },
  provide: async (batch, episodes, update, { mark }) => {
    const places = placesOf(batch, episodes);
    const text = MARKS[mark as keyof typeof MARKS];
    const episodeOf = new Map(episodes.map((episode) => [episode.id, episode]));
    let [parted, found] = [0, 0];
    const provided = withRows(batch, (row, at) => {
      const place = places[at];
      const answer = place?.stream.ids.subarray(place.start, place.end) ?? new Int32Array();
      const token = boundary(answer, text, (ids) => update.dialect.answer(ids));
      if (token !== null) parted += 1;
      const after = batch.trajectories.get(row.trajectory)?.outcome ?? 0;
      const right = broughtSupport(episodeOf.get(row.trajectory), row.step) ?? row.valid;
      if (token !== null && right) found += 1;
      return withSignals(row, { split: { token, before: right ? 1 : 0, after } });
    });
    return { batch: provided, metrics: { parted, found } };
  },
});

/** Whether this step's search brought a passage that the answer rests on; undefined where that is unknown. */
function broughtSupport(episode: Trajectory | undefined, at: number): boolean | undefined {
  const support = episode?.task.data?.["support"];
  const passages = episode?.steps.find(({ index }) => index === at)?.info?.["passages"];
  if (!Array.isArray(support) || !Array.isArray(passages)) return undefined;
  return passages.some((passage) => support.includes(passage));
}

/**
 * The last token of the shortest prefix that holds the mark, once something stands before it; the last of all where nothing
 * is sampled behind it, so that the token that ends a turn belongs to what it ends. Null: there is no mark.
 */
function boundary(answer: Int32Array, mark: string, read: (ids: Int32Array) => string): number | null {
  if (!read(answer).trimStart().includes(mark)) return null;
  let [low, high] = [0, answer.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (
      read(answer.subarray(0, middle + 1))
        .trimStart()
        .includes(mark)
    )
      high = middle;
    else low = middle + 1;
  }
  return read(answer.subarray(low + 1)).trim() === "" ? answer.length - 1 : low;
}
