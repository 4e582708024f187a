/**
 * Which base adapts fastest to a world it has never read: `npx tsx research/new-worlds/bases.ts [--world kitchen,locks]`.
 *
 * Prints one line of JSON for each world and base: updates and processor seconds until the wanted success, and what
 * advice does then.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundledNames } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { warmUp } from "limbeck/training";
import { newWorlds } from "./worlds.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: Object.keys(newWorlds).join(",") },
    base: { type: "string", default: ["base", ...bundledNames, "fresh"].join(",") },
    /** That of the command line where nothing is said. */
    words: { type: "string" },
    /** That of the command line where nothing is said. */
    rate: { type: "string" },
    every: { type: "string", default: "20" },
    steps: { type: "string", default: "400" },
    until: { type: "string", default: "0.25" },
    seed: { type: "string", default: "1" },
    threads: { type: "string", default: "1" },
  },
});

for (const name of values.world.split(",")) {
  const world = newWorlds[name as keyof typeof newWorlds];
  for (const base of values.base.split(",")) {
    const folder = await mkdtemp(join(tmpdir(), "limbeck-bases-"));
    const curve: string[] = [];
    const made = await warmUp({
      env: await world.create(),
      demonstrator: world.demonstrators?.["expert"],
      base,
      ...(values.words === undefined ? {} : { words: values.words === "base" ? ("base" as const) : ("new" as const) }),
      out: join(folder, "model"),
      ...(values.rate === undefined ? {} : { learningRate: Number(values.rate) }),
      steps: Number(values.steps),
      evaluateEvery: Number(values.every),
      until: Number(values.until),
      seed: Number(values.seed),
      threads: Number(values.threads),
      onEvent: (event) => {
        if (event.kind !== "evaluation") return;
        curve.push(`${event.update}:${event.evaluation.success?.toFixed(2) ?? "?"}`);
        process.stderr.write(`${name} ${base} ${curve.at(-1)}\n`);
      },
    });
    const { measured, words } = made;
    const line = {
      world: name,
      base,
      words: values.words,
      rate: made.learningRate,
      seed: made.seed,
      stopped: made.stopped,
      updates: made.updates,
      none: measured.none.success,
      sampled: measured.sampled.success,
      right: measured.right?.success,
      wrong: measured.wrong?.success,
      tokensPerWord: Number(words.tokensPerWord.toFixed(2)),
      meanTokens: Math.round(words.meanTokens),
      seconds: Math.round(made.seconds),
      processorSeconds: Math.round(made.processorSeconds),
      curve: curve.join(" "),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    await rm(folder, { recursive: true });
  }
}
