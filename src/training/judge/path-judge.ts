/** Whether a way was gone as it was asked for: a judge of the whole path beside one of its end alone (MotIF). */
import { createRng, EngineError, mean, option, shuffle } from "../../base/index.ts";
import { createHousehold } from "../../env/household/index.ts";
import { defineJudging } from "./judging.ts";
import { createWordJudge, type WordJudge } from "./word-judge.ts";

interface Walk {
  readonly asked: string;
  /** The places in their order. */
  readonly path: string;
  /** What is seen at the end, and where. */
  readonly end: string;
  readonly followed: boolean;
}

export const pathJudge = defineJudging({
  info: {
    title: "MotIF",
    meaning:
      "A way through the rooms is judged by a summary of its path; a judge of the final state cannot tell in which order it went.",
    paper: "MotIF: Motion Instruction Fine-tuning",
    confidence: "inferred",
    formula: [
      "path judge: chance(instruction, places in order);   final-state judge: chance(instruction, last place and view)",
    ],
    departures: [
      "Walks in the text household in the place of videos of robots; the path is drawn as a line of places, not over a picture.",
      "The judges are linear models over words and pairs of words in order.",
    ],
  },
  options: {
    walks: option.count(1200, "walks that are learnt from"),
    heldOut: option.count(300, "walks that are measured on"),
    epochs: option.count(5, "times they are seen"),
  },
  run: async ({ walks, heldOut, epochs }, seed) => {
    const learning = await walked("train", walks, seed);
    const test = await walked("test", heldOut, seed);
    const taught = (read: (walk: Walk) => string): { readonly judge: WordJudge; readonly accuracy: number } => {
      const judge = createWordJudge({ seed, order: true });
      judge.learn(
        learning.map((walk) => ({ text: read(walk), label: Number(walk.followed) })),
        epochs,
      );
      return { judge, accuracy: mean(test.map((walk) => Number(judge.chance(read(walk)) >= 0.5 === walk.followed))) };
    };
    const { judge, accuracy: path } = taught((walk) => `${walk.asked}\n${walk.path}`);
    const { accuracy: finalState } = taught((walk) => `${walk.asked}\n${walk.end}`);
    return { metrics: { path, finalState, gain: path - finalState }, kept: { judge, reads: "texts" } };
  },
});

/** Three kinds of places of a real household, gone to one after the other; asked for are two of them, in either order. */
async function walked(split: string, count: number, seed: number): Promise<Walk[]> {
  const env = createHousehold({ dial: "tiny" });
  const rng = createRng(`path ${split} ${seed}`);
  const found: Walk[] = [];
  for await (const task of env.tasks(split, { count: count * 2 })) {
    if (found.length >= count) break;
    const episode = await env.open(task);
    const places = (episode.admissible() ?? []).filter((action) => action.startsWith("go to "));
    const kinds = new Map(places.map((action) => [kindOf(action), action]));
    if (kinds.size >= 3) {
      const [first = "", second = "", last = ""] = shuffle([...kinds.values()], rng);
      for (const action of [first, second, last]) await episode.step(action);
      const names = [first, second].map(kindOf);
      const followed = rng.float() < 0.5;
      const [one, other] = followed ? names : names.toReversed();
      found.push({
        asked: `${one} ${other}`,
        path: [first, second, last].map(kindOf).join(" "),
        end: `${kindOf(last)} ${episode.observation.replaceAll("\n", " ").slice(0, 120)}`,
        followed,
      });
    }
    await episode.close();
  }
  if (found.length > 0) return found;
  throw new EngineError("internal", `No household of the split "${split}" has three places.`);
}

function kindOf(action: string): string {
  return action.replace(/^go to /, "").replace(/ \d+$/, "");
}
