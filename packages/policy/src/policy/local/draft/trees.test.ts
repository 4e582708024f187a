import { afterAll, beforeAll, expect, test } from "vitest";
import { closePrograms, counted, noisyModel, plainly, said } from "../../../../../../test/support/draft-samplers.ts";
import { tries } from "../../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import { DEMONSTRATORS } from "limbeck-worlds/tools/expert";
import { createTools } from "limbeck-worlds/tools/tools-env";
import { bundledModel } from "../bundled-model.ts";
import { loadTokenizer } from "../load-tokenizer.ts";
import { createResponse } from "../response.ts";
import { gooseTree, tailOf, type Drafted } from "./shapes.ts";
import type { DraftingOptions } from "./drafting.ts";
import { childOf, emptyTree, grow, wayTo, type DraftTree } from "./tree.ts";
import { createWordMemory, type WordMemory } from "./word-memory.ts";

afterAll(closePrograms);

const drafter = noisyModel();
const ways: Readonly<Record<string, DraftingOptions>> = {
  "a draft model's chain": { draft: "model", drafter },
  goose: { draft: "ngram", draftTree: "goose" },
  delayed: { draft: "model", draftTree: "delayed", drafter },
  graft: { draft: "model", draftTree: "graft", drafter },
};
const TALKS = tries(2, 8);
const allowed = [
  [1, 2, 3, 4, 5],
  [1, 2, 7, 6, 5],
  [2, 7, 6, 5, 4],
];

const asked = [{ temperature: 0 }, { temperature: 1 }, { temperature: 0.5, topK: 4 }, { allowed }];
/** What is said without guesses: once for all ways. */
const truths: { readonly truth: unknown; readonly rows: number; readonly tokens: number }[] = [];
beforeAll(async () => {
  for (const options of asked) {
    const { sampler } = counted({});
    truths.push({ truth: plainly(await said(sampler, TALKS, options)), ...sampler.decoded });
  }
});

test.each(Object.entries(ways))("%s: responses are the same with guesses, in fewer passes", async (_, way) => {
  for (const [at, options] of asked.entries()) {
    const { sampler } = counted(way);
    const plain = truths[at];
    expect(plainly(await said(sampler, TALKS, options))).toEqual(plain?.truth);
    expect(sampler.decoded.rows).toBeLessThan(plain?.rows ?? 0);
    expect(sampler.decoded.tokens).toBe(plain?.tokens);
  }
});

/** The two likeliest words after every node, level by level. */
function balancedTree(memory: WordMemory, { tokens, count, most }: Drafted): DraftTree {
  const tree = emptyTree();
  for (let parent = -1; parent < tree.tokens.length && tree.tokens.length < most; parent += 1) {
    const tail = [...tailOf(tokens, count), ...wayTo(tree, parent)];
    const first = memory.next(tail, tail.length);
    const both = first === undefined ? [] : [first, ...memory.others(tail, tail.length).slice(0, 1)];
    for (const guess of both.slice(0, most - tree.tokens.length)) grow(tree, parent, guess);
  }
  return tree;
}

/** What the expert of the tools world reads and says, as tokens, and where it speaks. */
async function expertStreams(): Promise<{ readonly tokens: number[]; readonly said: readonly [number, number][] }[]> {
  const [env, tokenizer] = [createTools(), await loadTokenizer(bundledModel("tools"))];
  const streams: { tokens: number[]; said: [number, number][] }[] = [];
  for await (const task of env.tasks("train", { count: 12 })) {
    const episode = await env.open(task);
    const demonstration = DEMONSTRATORS.expert.start(task, createRng(0));
    const stream: (typeof streams)[number] = { tokens: [], said: [] };
    let action: string | undefined;
    while (episode.ending === undefined) {
      stream.tokens.push(...tokenizer.encode(`${episode.observation}\n`));
      action = demonstration.next({ action, observation: episode.observation });
      const start = stream.tokens.length;
      stream.tokens.push(...tokenizer.encode(`${action}\n`));
      stream.said.push([start, stream.tokens.length]);
      await episode.step(action);
    }
    streams.push(stream);
  }
  return streams;
}

test("goose: more tokens for each check than a balanced tree of equally many nodes", async () => {
  const streams = await expertStreams();
  const response = { ...createResponse({ maxTokens: 64 }) };
  const tokensWith = (treeOf: typeof balancedTree): number => {
    const memory = createWordMemory();
    let [checks, said] = [0, 0];
    for (const { tokens, said: answers } of streams) {
      let learned = 0;
      for (const [start, end] of answers) {
        for (let count = start + 1; count < end; checks += 1) {
          memory.learn(tokens, learned, count);
          learned = count;
          const tree = treeOf(memory, { tokens, count, response, most: 14 });
          // As far as a way of the tree is what the expert says, and the token after it.
          for (let node = -1; count < end;) {
            const child = childOf(tree, node, tokens[count] as number);
            tree.parents.forEach((parent, at) => {
              if (parent === node) memory.judge(tree.sources[at] as number, at === child);
            });
            [count, said] = [count + 1, said + 1];
            if (child < 0) break;
            node = child;
          }
        }
      }
    }
    return said / checks;
  };
  expect(tokensWith(gooseTree)).toBeGreaterThan(1.2 * tokensWith(balancedTree));
});
