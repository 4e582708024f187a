/**
 * A draft model that reads a compressed context and goes on while the model checks (ParallelVLM): the same answers, the model's steps one
 * after the other, how many chains lay ready, and the seconds of both. The draft model is the model itself, so that only the order and the
 * compression differ between the ways. Three guesses at a time: answers are short.
 *
 *     npx tsx research/parallel-drafts.ts household tools
 */
import { rollout, openModel } from "limbeck";
import { bundledModel } from "limbeck/local";
import type { BundledModelName } from "../packages/policy/src/policy/starts.ts";

interface Way {
  readonly name: string;
  readonly draft: "off" | "model";
  readonly draftTree?: "chain" | "parallel";
  readonly draftContext?: number;
}

const WAYS: readonly Way[] = [
  { name: "plain", draft: "off" },
  { name: "chain", draft: "model", draftTree: "chain" },
  { name: "chain, 128 tokens", draft: "model", draftTree: "chain", draftContext: 128 },
  { name: "parallel", draft: "model", draftTree: "parallel" },
  { name: "parallel, 128 tokens", draft: "model", draftTree: "parallel", draftContext: 128 },
  { name: "parallel, 256 tokens", draft: "model", draftTree: "parallel", draftContext: 256 },
];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const small = process.argv.includes("--quick");

for (const env of process.argv.slice(2).filter((word) => !word.startsWith("--")) as BundledModelName[]) {
  print(`| ${env} | answers | steps of the model | tokens a step | chains ready | seconds |`);
  print("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const temperature of [0, 1]) {
    let truth: string | undefined;
    for (const { name, draft, ...way } of WAYS) {
      const drafting = draft === "off" ? {} : { draft, draftModel: bundledModel(env), draftNodes: 3, ...way };
      const model = await openModel(bundledModel(env), { ...drafting, threads: 1 });
      const options = { env, policy: model, temperature, split: "test", group: 1, seed: 2 };
      const play = (tasks: number) => rollout({ ...options, tasks, maxSteps: small ? 3 : 16, concurrency: 1 });
      // Graphs are built on the first task.
      await play(1);
      const [before, waitedBefore] = [{ ...model.decoded }, { ...model.decoded.overlap }];
      const begun = performance.now();
      const { trajectories } = await play(small ? 1 : 6);
      const seconds = (performance.now() - begun) / 1_000;
      const { decoded } = model;
      const said = JSON.stringify(trajectories.map(({ streams }) => streams.map(({ ids }) => [...ids])));
      truth ??= said;
      const [rows, tokens] = [decoded.rows - before.rows, decoded.tokens - before.tokens];
      const ready = (decoded.overlap?.ready ?? 0) - (waitedBefore.ready ?? 0);
      const waited = (decoded.overlap?.waited ?? 0) - (waitedBefore.waited ?? 0);
      const share = decoded.overlap === undefined ? "" : `${((100 * ready) / Math.max(1, ready + waited)).toFixed(1)}%`;
      print(
        `| T=${temperature} ${name} | ${said === truth ? "the same" : "OTHERS"} | ${rows} | ${(tokens / rows).toFixed(2)} | ${share} | ${seconds.toFixed(1)} |`,
      );
      await model.close();
    }
  }
}
