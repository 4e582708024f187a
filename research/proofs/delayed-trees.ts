/**
 * Trees of guesses that branch late (Delayed Tree Expansion), at the root, or never, of at most equally many nodes: tokens for each
 * check of the model. What guesses are draft heads that are trained on what the bundled model says in the tasks of `train`; nothing about them
 * is made. The answers are the same in all arms, so that they are paired token by token.
 *
 *     npx tsx research/proofs/delayed-trees.ts --jobs 2
 */
import { openModel, rollout, type Trajectory } from "limbeck";
import { bundledModel } from "limbeck/local";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { DraftingOptions } from "../../packages/policy/src/policy/local/draft/drafting.ts";
import { trainDraftHeads } from "../../packages/policy/src/policy/local/draft/train-heads.ts";
import { bundledStart, type BundledModelName } from "../../packages/policy/src/policy/starts.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const WORLDS = ["tools"] as const satisfies readonly BundledModelName[];

const WAYS: Readonly<Record<string, Pick<DraftingOptions, "draftTree" | "draftDelay">>> = {
  delayed: { draftTree: "delayed", draftDelay: { tokens: "unsure", branches: 2 } },
  root: { draftTree: "delayed", draftDelay: { tokens: 0, branches: 2 } },
  chain: { draftTree: "chain" },
};

const [TASKS, LEARNT, NODES, STEPS] = [12, 16, 7, 8] as const;

type Result = Readonly<Record<string, { readonly tokensPerCheck: number; readonly tokens: number }>>;

const wordsOf = (trajectories: readonly Trajectory[]): string =>
  JSON.stringify(trajectories.map(({ streams }) => streams.map(({ ids }) => [...ids])));

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  const env = arm as BundledModelName;
  const { worldOptions: envOptions = {}, answerTokens = 24 } = bundledStart(env) ?? {};
  const place = { env, envOptions, temperature: 1, group: 1, seed, answerTokens, maxSteps: STEPS };
  const heads = await (async () => {
    const policy = await openModel(bundledModel(env), { threads: 1 });
    try {
      const tasks = quick ? 2 : LEARNT;
      const { trajectories } = await rollout({ ...place, policy, split: "train", tasks, offset: seed * LEARNT });
      const rows = trajectories.flatMap(({ streams }) => streams.map(({ ids, mask }) => ({ ids, mask })));
      return (await trainDraftHeads(policy, rows, { steps: quick ? 2 : 300, threads: 1, seed })).heads;
    } finally {
      await policy.close();
    }
  })();
  const found: Record<string, Result[string]> = {};
  let truth: string | undefined;
  for (const [name, way] of Object.entries(WAYS)) {
    const drafting = { draft: "heads", draftHeads: heads, draftNodes: NODES, threads: 1, ...way } as const;
    const policy = await openModel(bundledModel(env), drafting);
    try {
      const tasks = quick ? 1 : TASKS;
      const { trajectories } = await rollout({ ...place, policy, split: "test", tasks, offset: (seed % 80) * TASKS });
      const said = wordsOf(trajectories);
      truth ??= said;
      if (said !== truth) throw new Error(`${name} has other answers in ${arm}, seed ${seed}.`);
      const { tokens, rows } = policy.decoded;
      found[name] = { tokensPerCheck: tokens / rows, tokens };
    } finally {
      await policy.close();
    }
  }
  return found;
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| world | tokens | guesses | tokens a check | delayed less this |");
  print("| --- | ---: | --- | ---: | ---: |");
  for (const world of new Set(results.map(({ arm }) => arm))) {
    const own = results.filter(({ arm }) => arm === world).map(({ result }) => result);
    const rate = (one: Result, name: string): number => one[name]?.tokensPerCheck ?? Number.NaN;
    const said = own.reduce((sum, one) => sum + (one["delayed"]?.tokens ?? 0), 0);
    for (const name of Object.keys(WAYS)) {
      const less = name === "delayed" ? "" : differenceWords(own.map((one) => rate(one, "delayed") - rate(one, name)));
      const rates = mean(own.map((one) => rate(one, name))).toFixed(3);
      print(`| ${world} | ${said} | ${name} | ${rates} | ${less} |`);
    }
  }
}

await runStudy<Result>({ name: "delayed-trees", arms: WORLDS, run, report });
