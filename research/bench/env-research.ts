/** Benches of the research world: generating, searching, stepping, forking, and the retriever's recall. */
import { existsSync, readFileSync } from "node:fs";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import { bm25Retriever } from "../../packages/worlds/src/research/retriever.ts";
import { createResearch } from "../../packages/worlds/src/research/research.ts";
import { loadCorpus, loadQuestions } from "../../packages/worlds/src/research/load.ts";
import { createResearchWorld, worldSizes, type ResearchWorld } from "../../packages/worlds/src/research/world/world.ts";
import { measureRecall } from "../../packages/worlds/src/research/recall.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

type SizeId = keyof typeof worldSizes;

const HOPS = [1, 2, 3, 4];

function worldOf(size: SizeId): ResearchWorld {
  return createResearchWorld(1, worldSizes[size], HOPS);
}

async function openMany(world: ResearchWorld, count: number): Promise<Episode[]> {
  const env: Env = createResearch({ retriever: world.retriever, questions: world.questions, corpus: "bench" });
  const tasks: Task[] = [];
  for await (const task of env.tasks("train")) tasks.push(task);
  return Promise.all(Array.from({ length: count }, (_, index) => env.open(tasks[index % tasks.length] as Task)));
}

/** Searches with the questions themselves: as long as real queries, with common and rare words. */
function steps(size: SizeId): Bench {
  return {
    name: `research/steps-${size}`,
    summary: `Search turns over the ${size} generated world, in process, with the observation text.`,
    unit: "steps/s",
    setUp: () => {
      const world = worldOf(size);
      return Promise.resolve({
        measure: async () => {
          const episodes = await openMany(world, 600);
          const taken = await seconds(async () => {
            for (const episode of episodes) {
              for (let turn = 0; turn < 3; turn += 1) await episode.step(`<search>${episode.task.goal}</search>`);
            }
          });
          return (episodes.length * 3) / taken;
        },
        notes: () => ({ passages: world.retriever.passages.length }),
      });
    },
  };
}

const generate: Bench = {
  name: "research/generate",
  summary: "Builds the small world: facts, passages, index, and questions each checked by playing the expert.",
  unit: "questions/s",
  repetitions: 3,
  setUp: () => {
    let questions = 0;
    return Promise.resolve({
      measure: async () => {
        const taken = await seconds(() => {
          questions = Object.values(worldOf("small").questions).flat().length;
          return Promise.resolve();
        });
        return questions / taken;
      },
      notes: () => ({ questions }),
    });
  },
};

const fork: Bench = {
  name: "research/fork",
  summary: "Forks an episode after one search; median over 10,000 forks.",
  unit: "microseconds",
  goal: { at: "most", value: 20 },
  setUp: async () => {
    const [episode] = await openMany(worldOf("tiny"), 1);
    await episode?.step("<search>the mayor</search>");
    return {
      measure: async () => {
        const times: number[] = [];
        for (let index = 0; index < 10_000; index += 1) {
          const start = performance.now();
          await episode?.fork();
          times.push((performance.now() - start) * 1000);
        }
        return times.toSorted((left, right) => left - right)[5_000] ?? Number.NaN;
      },
    };
  },
};

const open: Bench = {
  name: "research/open-10000",
  summary: "Resident memory of the process with 10,000 episodes open, each after one search.",
  unit: "MiB",
  goal: { at: "most", value: 2048 },
  repetitions: 1,
  warmUps: 0,
  setUp: () => {
    const world = worldOf("small");
    return Promise.resolve({
      measure: async () => {
        const episodes = await openMany(world, 10_000);
        for (const episode of episodes) await episode.step(`<search>${episode.task.goal}</search>`);
        const after = memoryMib();
        await Promise.all(episodes.map((episode) => episode.close()));
        return after;
      },
    });
  },
};

const data = new URL("../../../shared/data/qa/", import.meta.url);

/** Not a time: the share of supporting passages found, so that a change of the index shows. */
function hotpotRecall(topk: number): Bench {
  return {
    name: `research/hotpotqa-recall-${topk}`,
    summary: `Mean share of the supporting passages of 100 HotpotQA questions among the first ${topk} of 994.`,
    unit: "recall",
    repetitions: 1,
    warmUps: 0,
    setUp: () => {
      const questions = loadQuestions(readFileSync(new URL("hotpotqa_train.json", data), "utf8"));
      const retriever = bm25Retriever(loadCorpus(readFileSync(new URL("hotpotqa_train_corpus.json", data), "utf8")));
      let complete = 0;
      return Promise.resolve({
        measure: async () => {
          const recall = await measureRecall(retriever, questions, topk);
          complete = recall.complete;
          return recall.share;
        },
        notes: () => ({ "all passages found": complete }),
      });
    },
  };
}

export const researchBenches: readonly Bench[] = [
  generate,
  steps("tiny"),
  steps("small"),
  steps("large"),
  fork,
  open,
  ...(existsSync(data) ? [hotpotRecall(3), hotpotRecall(10)] : []),
];
