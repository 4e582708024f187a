/** The model's folder in bfloat16, and its card. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openModel } from "limbeck";
import { look, type Seen } from "./look.ts";
import { making, mistakenWorlds, type MistakenWorld } from "./worlds.ts";

/** What timed-train.py writes beside the weights. */
interface Mark {
  readonly seconds: number;
  readonly update: number;
  readonly tokensSeen: number;
  readonly lessons: number;
  readonly device: string;
  /** Of the training that it went on from. */
  readonly before?: Mark;
}

/** Who showed the way, for people. */
const SHOWN = {
  talk: "a listener who knows what the expert would do and makes mistakes: asks again what was answered, guesses, does not mind an angry tone, asks what tells nothing apart",
  archive:
    "a reader who knows what the expert would do and wanders: opens the less likely place, goes up too soon, overlooks the answer, takes another name",
} as const;

export async function bundle(
  world: string,
  from: string,
  out: string,
  { tasks, threads }: { readonly tasks: number; readonly threads: number },
): Promise<void> {
  const mark = JSON.parse(await readFile(join(from, "mark.json"), "utf8")) as Mark;
  const model = await openModel(from, { threads: 1, name: world });
  await model.save(out, { precision: "bfloat16", optimiser: false, progress: {} });
  const parameters = model.weights.flat.length;
  await model.close();
  const { options, base, careful, advised, learningRate } = mistakenWorlds[world] as MistakenWorld;
  const valid = await look(world, out, { split: "valid", tasks, threads });
  const test = await look(world, out, { split: "test", tasks, threads });
  const percent = (share: number): string => `${Math.round(100 * share)}%`;
  const lines = [
    "---",
    "license: apache-2.0",
    "pipeline_tag: text-generation",
    "---",
    "",
    `# A starting model for ${world} ${JSON.stringify(options)}`,
    "",
    "Made by `research/starting-model/mistakes/make.ts` and `research/starting-model/timed-train.py`. A training goes on from here: `limbeck train --model` and this folder.",
    "",
    `- base: ${base === undefined ? "none, new weights and words of this world" : `${base}, with its words`}; ${parameters.toLocaleString("en-GB")} parameters`,
    `- shown by: ${SHOWN[world as keyof typeof SHOWN]}; ${percent(careful)} of the episodes without mistakes, ${percent(advised)} with advice that is followed`,
    ...stretches(mark).map(
      (one) =>
        `- ${one.lessons.toLocaleString("en-GB")} lessons of the training split, ${Math.round(one.tokensSeen / 1e6)} million tokens in ${one.update.toLocaleString("en-GB")} updates, ${Math.round(one.seconds)} s on ${one.device}, rate ${learningRate}, seed ${making.seed}`,
    ),
    "- chosen on validation tasks, to have both successes and mistakes",
    "- it imitates mistakes on purpose: a start from which rewards have something to teach, no good player",
    "",
    ...table("Validation tasks, which chose the stop", valid),
    "",
    ...table(`Unseen tasks (test split, ${JSON.stringify(options)})`, test),
  ];
  await writeFile(join(out, "README.md"), `${lines.join("\n")}\n`);
}

function stretches(mark: Mark): readonly Mark[] {
  return mark.before === undefined ? [mark] : [...stretches(mark.before), mark];
}

function table(title: string, { cool, warm }: Readonly<Record<"cool" | "warm", Seen>>): readonly string[] {
  const names = Object.keys(warm.parts);
  const line = (label: string, { success, low, high, tasks, steps, parts }: Seen): string =>
    `| ${label} | ${tasks} | ${success.toFixed(3)} | ${low.toFixed(3)} to ${high.toFixed(3)} | ${steps.toFixed(1)} | ${names.map((name) => (parts[name] ?? 0).toFixed(2)).join(" | ")} |`;
  return [
    `## ${title}`,
    "",
    `| | tasks | success | 95% interval | steps | ${names.join(" | ")} |`,
    `| --- | ---: | ---: | --- | ---: |${" ---: |".repeat(names.length)}`,
    line("bundled weights", cool),
    line("bundled weights, temperature 1", warm),
    "",
    "Beside the steps: sums over an episode of what the world counts apart.",
  ];
}
