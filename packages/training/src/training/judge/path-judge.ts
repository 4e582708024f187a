/** Whether a way was gone as it was asked for: a judge of the whole path beside one of its end alone (MotIF). */
import { createRng, pick, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { createHousehold } from "limbeck-worlds/household/household";
import { defineJudging } from "./judging.ts";
import { createWordJudge, type WordJudge } from "./word-judge.ts";

interface Walk {
  /** Places in the order in which they are to be gone to. */
  readonly asked: readonly string[];
  readonly path: readonly string[];
  /** What is seen at the end, and where. */
  readonly end: string;
  readonly followed: boolean;
}

export const pathJudge = defineJudging({
  info: {
    title: "MotIF",
    meaning:
      "A way through the rooms is judged by its places in order; a judge of the final state sees only where it ended.",
    paper: "MotIF: Motion Instruction Fine-tuning",
    confidence: "inferred",
    formula: [
      "path judge: chance(instruction, places in order);   final-state judge: chance(instruction, last place and view)",
      "half of the walks follow the instruction, a quarter changes the first two places, a quarter ends elsewhere",
      "gain = accuracy of the path judge - accuracy of the final-state judge",
    ],
    departures: [
      "Walks in the text household in the place of videos of robots; the path is a list of places, not drawn over a picture.",
      "The judges are linear models over words and pairs of words; which places are the same they have to learn from labels.",
    ],
  },
  options: {
    walks: option.count(1200, "walks that are learnt from"),
    heldOut: option.count(300, "walks that are measured on"),
    epochs: option.count(5, "times they are seen"),
    order: option.flag(
      true,
      "the path judge reads the places in their order; off, the control: in the order of the alphabet",
    ),
  },
  run: async ({ walks, heldOut, epochs, order }, seed) => {
    const learning = await walked("train", walks, seed);
    const test = await walked("test", heldOut, seed);
    const taught = (read: (walk: Walk) => readonly string[]): Taught => {
      const judge = createWordJudge({ seed });
      // A line each: the judge pairs words of different lines, and knows which line a word stands in.
      const text = (walk: Walk): string => [...walk.asked, ...read(walk)].join("\n");
      judge.learn(
        learning.map((walk) => ({ text: text(walk), label: Number(walk.followed) })),
        epochs,
      );
      return { judge, accuracy: mean(test.map((walk) => Number(judge.chance(text(walk)) >= 0.5 === walk.followed))) };
    };
    const { judge, accuracy: path } = taught((walk) => (order ? walk.path : walk.path.toSorted()));
    const { accuracy: finalState } = taught((walk) => [walk.end]);
    return { metrics: { path, finalState, gain: path - finalState }, kept: { judge, reads: "texts" } };
  },
});

interface Taught {
  readonly judge: WordJudge;
  readonly accuracy: number;
}

/** Three places of a real household are asked for, in an order, and three are gone to. */
async function walked(split: string, count: number, seed: number): Promise<Walk[]> {
  const env = createHousehold({ dial: "tiny" });
  const rng = createRng(`path ${split} ${seed}`);
  const found: Walk[] = [];
  for await (const task of env.tasks(split, { count: count * 4 })) {
    if (found.length >= count) break;
    const episode = await env.open(task);
    const places = (episode.admissible() ?? []).filter((action) => action.startsWith("go to "));
    const kinds = new Map(places.map((action) => [kindOf(action), action]));
    if (kinds.size >= 4) {
      const [first = "", second = "", last = "", other = ""] = shuffle([...kinds.values()], rng);
      const way = pick(
        [
          [first, second, last],
          [first, second, last],
          [second, first, last],
          [first, second, other],
        ],
        rng,
      ) as readonly string[];
      for (const action of way) await episode.step(action);
      found.push({
        asked: [first, second, last].map(kindOf),
        path: way.map(kindOf),
        end: `${kindOf(way[2] ?? "")} ${episode.observation.replaceAll("\n", " ").slice(0, 120)}`,
        followed: way[0] === first && way[2] === last,
      });
    }
    await episode.close();
  }
  if (found.length > 0) return found;
  throw new EngineError("internal", `No household of the split "${split}" has four kinds of places.`);
}

function kindOf(action: string): string {
  return action.replace(/^go to /, "").replace(/ \d+$/, "");
}
