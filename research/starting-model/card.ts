/**
 * Measures a bundled model and writes the figures into its card: `npm run card:model [-- --world shop]`.
 *
 * Every condition is kept as it is done, so that a run that was stopped goes on; `--only none,workflow` measures some.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChatDialect, openModel, type Task } from "limbeck";
import { requireTokenizer } from "limbeck/local";
import { cardFor } from "./card-worlds.ts";
import { analystCondition } from "./conditions-of-policy.ts";
import { evaluate, type Measured } from "./evaluate.ts";
import { folderFor } from "./plans.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "household" },
    /** Default: the model of the world. */
    model: { type: "string" },
    work: { type: "string", default: ".cache/starting-model" },
    only: { type: "string" },
    tasks: { type: "string", default: "1000" },
    split: { type: "string", default: "test" },
    threads: { type: "string", default: "2" },
  },
});

/** What each condition is called on the card, in its order; a world measures those that it has. */
const LABELS = {
  none: "no advice",
  none1: "no advice, temperature 1",
  workflow: "correct workflow, trained wordings",
  workflowKeptBack: "correct workflow, wordings kept back",
  hints: "step hints, trained wordings",
  hintsKeptBack: "step hints, wordings kept back",
  misleading: "wrong skill: a failed episode told as a success",
  foreign: "wrong skill: the workflow of another task",
  placebo: "placebo: sentences about something else",
  filler: "placebo: one word again and again",
  general: "general advice without names, trained wordings",
  generalKeptBack: "general advice, wordings kept back",
  avoidance: "avoidance rule, trained wordings",
  avoidanceKeptBack: "avoidance rule, wordings kept back",
  analyst: "what the `statistics` analyst wrote from 8 own episodes",
} as const;

const USUAL_TEMPERATURE = 0.4;

const BEGIN = "<!-- figures: written by research/starting-model/card.ts -->";
const END = "<!-- end of figures -->";

const folder = values.model ?? folderFor(values.world);
const weights = createHash("sha256").update(await readFile(join(folder, "model.safetensors")));
const kept = join(values.work, `card-${weights.digest("hex").slice(0, 12)}`);
await mkdir(kept, { recursive: true });
const wanted = values.only?.split(",") ?? Object.keys(LABELS);
const model = await openModel(folder, { threads: Number(values.threads) });
const dialect = await createChatDialect(requireTokenizer(model));
const { env, conditions, families, answerTokens } = await cardFor(values.world);
const tasks: Task[] = [];
for await (const task of env.tasks(values.split, { count: Number(values.tasks) })) tasks.push(task);

for (const id of Object.keys(LABELS)) {
  if (!wanted.includes(id) || (await readKept(id)) !== undefined) continue;
  const common = { policy: model, dialect, env, seed: 1, answerTokens };
  const condition = id === "analyst" ? analystCondition(common) : conditions[id === "none1" ? "none" : id];
  if (condition === undefined) continue;
  const measured = await evaluate({ ...common, tasks, temperature: id === "none1" ? 1 : USUAL_TEMPERATURE, condition });
  await writeFile(join(kept, fileName(id)), JSON.stringify(measured));
  process.stdout.write(`${id}: ${describe(measured)}\n`);
}
await model.close();
await writeTable();

function fileName(id: string): string {
  return `${id}-${values.split}-${values.tasks}.json`;
}

async function readKept(id: string): Promise<Measured | undefined> {
  const text = await readFile(join(kept, fileName(id)), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Measured);
}

function describe({ success, low, high }: Measured): string {
  return `${success.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

async function writeTable(): Promise<void> {
  const rows: string[] = [];
  for (const [id, label] of Object.entries(LABELS)) {
    // The largest measurement that there is: some conditions are dear and are measured on fewer tasks.
    const files = (await readdir(kept)).filter((name) => name.startsWith(`${id}-${values.split}-`));
    const all = await Promise.all(files.map(async (name) => JSON.parse(await readFile(join(kept, name), "utf8"))));
    const [measured] = (all as Measured[]).toSorted((left, right) => right.tasks - left.tasks);
    if (measured === undefined) continue;
    const { success, low, high, tasks: count, refused } = measured;
    const shares = Object.values(families).map((start) => {
      const share = Object.entries(measured.families).find(([family]) => family.startsWith(start))?.[1];
      return share === undefined ? "" : share.toFixed(2);
    });
    const cells = [
      label,
      count,
      success.toFixed(3),
      `${low.toFixed(3)} to ${high.toFixed(3)}`,
      refused.toFixed(3),
      ...shares,
    ];
    rows.push(`| ${cells.join(" | ")} |`);
  }
  const names = Object.keys(families);
  const table = [
    `| ${["advice", "tasks", "success", "95% interval", "refused commands", ...names].join(" | ")} |`,
    `| --- | ---: | ---: | --- | ---: |${names.map(() => " ---: |").join("")}`,
    ...rows,
  ].join("\n");
  const path = join(folder, "README.md");
  const card = await readFile(path, "utf8").catch(() => "");
  const [begin, end] = [card.indexOf(BEGIN), card.indexOf(END)];
  if (begin < 0 || end < begin) {
    process.stdout.write(`${table}\n`);
    return;
  }
  await writeFile(path, `${card.slice(0, begin + BEGIN.length)}\n${table}\n${card.slice(end)}`);
}
