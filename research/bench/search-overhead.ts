/**
 * The program of `search/overhead-64`: a search whose policy costs nothing, and the same branches sampled with a model, in
 * turns, so that every search comes upon the memory and the threads that the model has left.
 */
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { createSearch } from "../../packages/core/src/search/registry.ts";
import { runSearch } from "../../packages/core/src/walk/tree/run-search.ts";
import { ANSWER, createFreePolicy, firstTask, fixedDialect } from "./free-policy.ts";
import { seconds } from "./harness.ts";
import { createPolicy } from "./policy-models.ts";

const WARM_TREES = 20;
const TURNS = 3;

const [branches, steps] = process.argv.slice(2).map(Number) as [number, number];
const env = createCorridor({ rooms: steps + 1, maxSteps: steps });
const task = await firstTask(env);
const dialect = fixedDialect("go east");
const model = createPolicy("0.9M");
const search = createSearch("best-of-n", { n: branches, together: branches, stop: false });
const agent = createTokenAgent({ policy: createFreePolicy(), dialect, answerTokens: ANSWER });

async function sampled(seed: string): Promise<void> {
  const root = model.open({ seed });
  root.extend(dialect.opening("Room 1."));
  const talks = Array.from({ length: branches }, (_, at) => root.fork(at));
  await Promise.all(
    talks.map(async (talk) => {
      for (let step = 0; step < steps; step += 1) {
        await talk.sample({ maxTokens: ANSWER });
        if (step < steps - 1) talk.extend(dialect.turn(""));
      }
      talk.close();
    }),
  );
  root.close();
}

async function own(seed: string): Promise<void> {
  const { nodes } = await runSearch({ env, agent, task, search, seed });
  if (nodes !== branches * steps) throw new Error(`The tree has ${nodes} nodes.`);
}

// A search that is worth its time runs for minutes; its first trees are slow because the code is new to the engine. The
// model comes first too: a search beside it shares its heap.
for (let tree = 0; tree < WARM_TREES; tree += 1) await own(`warm ${tree}`);
await sampled("warm");
let [ownSeconds, modelSeconds] = [Infinity, Infinity];
// The shortest of each: what else the machine does only ever adds.
for (let turn = 0; turn < TURNS; turn += 1) {
  ownSeconds = Math.min(ownSeconds, await seconds(() => own(`${turn}`)));
  modelSeconds = Math.min(modelSeconds, await seconds(() => sampled(`${turn}`)));
}
await model.close();
process.stdout.write(JSON.stringify({ nodes: branches * steps, ownSeconds, modelSeconds }));
