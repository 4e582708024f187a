/**
 * Call first, think meanwhile (the order of DLLM-Searcher): the same answers of the same layout with the world asked afterwards and with the
 * world asked while the thoughts are said, under a tool that takes its time. The seconds are of one process, one episode at a time.
 *
 *     npx tsx research/call-first.ts household
 */
import { openEnv, rollout, type Env, type Episode, openModel } from "limbeck";
import { wrapEnv, wrapEpisode } from "limbeck/env";
import { bundledModel } from "limbeck/local";
import type { BundledModelName } from "../packages/policy/src/policy/starts.ts";

const DELAYS_MS = [0, 50, 200];
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const small = process.argv.includes("--quick");

/** The world with a tool that takes so long. */
function slow(env: Env, ms: number): Env {
  const wrapped = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      step: async (action, options) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return await inner.step(action, options);
      },
      fork: async () => wrapped(await inner.fork()),
    });
  return wrapEnv(env, wrapped);
}

for (const name of process.argv.slice(2).filter((word) => !word.startsWith("--")) as BundledModelName[]) {
  const model = await openModel(bundledModel(name), { threads: 1 });
  const env = await openEnv(name, name === "household" ? { dial: "tiny" } : {});
  print(`| ${name}: tool takes | answers | seconds, world asked afterwards | meanwhile | ratio | both at work, s |`);
  print("| ---: | --- | ---: | ---: | ---: | ---: |");
  for (const delay of small ? [20] : DELAYS_MS) {
    const played = new Map<boolean, { readonly said: string; readonly seconds: number; readonly both: number }>();
    for (const overlap of [false, true]) {
      const request = {
        env: delay === 0 ? env : slow(env, delay),
        policy: model,
        form: "call-first",
        restrict: true,
        split: "test",
        group: 1,
        maxSteps: small ? 2 : 12,
        concurrency: 1,
        seed: 3,
        overlap,
      } as const;
      await rollout({ ...request, tasks: 1 });
      const begun = performance.now();
      const { trajectories } = await rollout({ ...request, tasks: small ? 1 : 4 });
      const seconds = (performance.now() - begun) / 1_000;
      const said = JSON.stringify(
        trajectories.map(({ streams, reward }) => [
          reward,
          streams.map(({ ids, logprobs }) => [[...ids], [...(logprobs ?? [])]]),
        ]),
      );
      const both = trajectories.reduce(
        (sum, { info }) => sum + ((info?.["overlap"] as { readonly ms: number } | undefined)?.ms ?? 0) / 1_000,
        0,
      );
      played.set(overlap, { said, seconds, both });
    }
    const [apart, together] = [played.get(false), played.get(true)];
    if (apart === undefined || together === undefined) continue;
    print(
      `| ${delay} ms | ${apart.said === together.said ? "the same" : "OTHERS"} | ${apart.seconds.toFixed(1)} | ${together.seconds.toFixed(1)} | ${(together.seconds / apart.seconds).toFixed(2)} | ${together.both.toFixed(1)} |`,
    );
  }
  await model.close();
}
