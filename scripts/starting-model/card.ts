/**
 * Measures the bundled model and writes the figures into its card: `npm run card:model`.
 *
 * Every condition is kept as it is done, so that a run that was stopped goes on; `--only none,workflow` measures some.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createHousehold } from "../../src/env/household/index.ts";
import { createChatDialect } from "../../src/policy/local/chat-dialect.ts";
import { openModel, requireTokenizer } from "../../src/policy/local/open-model.ts";
import type { Task } from "../../src/trajectory/index.ts";
import { conditions } from "./conditions.ts";
import { analystCondition } from "./conditions-of-policy.ts";
import { evaluate, type Condition, type Measured } from "./evaluate.ts";

const { values } = parseArgs({
  options: {
    model: { type: "string", default: "models/household" },
    work: { type: "string", default: ".cache/starting-model" },
    only: { type: "string" },
    tasks: { type: "string", default: "1000" },
    split: { type: "string", default: "test" },
    threads: { type: "string", default: "2" },
  },
});

interface Line {
  readonly id: string;
  readonly label: string;
  readonly temperature: number;
  readonly condition: Condition | "analyst";
}

const LINES: readonly Line[] = [
  { id: "none", label: "no advice", temperature: 0.4, condition: conditions.none },
  { id: "none1", label: "no advice, temperature 1", temperature: 1, condition: conditions.none },
  { id: "workflow", label: "correct workflow, trained wordings", temperature: 0.4, condition: conditions.workflow },
  {
    id: "workflowKeptBack",
    label: "correct workflow, wordings kept back",
    temperature: 0.4,
    condition: conditions.workflowKeptBack,
  },
  { id: "hints", label: "step hints, trained wordings", temperature: 0.4, condition: conditions.hints },
  {
    id: "hintsKeptBack",
    label: "step hints, wordings kept back",
    temperature: 0.4,
    condition: conditions.hintsKeptBack,
  },
  {
    id: "misleading",
    label: "wrong skill: a failed episode told as a success",
    temperature: 0.4,
    condition: conditions.misleading,
  },
  {
    id: "foreign",
    label: "wrong skill: the workflow of another game",
    temperature: 0.4,
    condition: conditions.foreign,
  },
  {
    id: "placebo",
    label: "placebo: sentences about something else",
    temperature: 0.4,
    condition: conditions.placebo,
  },
  { id: "filler", label: "placebo: one word again and again", temperature: 0.4, condition: conditions.filler },
  {
    id: "general",
    label: "general advice without names, trained wordings",
    temperature: 0.4,
    condition: conditions.general,
  },
  {
    id: "generalKeptBack",
    label: "general advice, wordings kept back",
    temperature: 0.4,
    condition: conditions.generalKeptBack,
  },
  { id: "avoidance", label: "avoidance rule, trained wordings", temperature: 0.4, condition: conditions.avoidance },
  {
    id: "avoidanceKeptBack",
    label: "avoidance rule, wordings kept back",
    temperature: 0.4,
    condition: conditions.avoidanceKeptBack,
  },
  {
    id: "analyst",
    label: "what the `statistics` analyst wrote from 8 own episodes",
    temperature: 0.4,
    condition: "analyst",
  },
];

const BEGIN = "<!-- figures: written by scripts/starting-model/card.ts -->";
const END = "<!-- end of figures -->";

const weights = createHash("sha256").update(await readFile(join(values.model, "model.safetensors")));
const kept = join(values.work, `card-${weights.digest("hex").slice(0, 12)}`);
await mkdir(kept, { recursive: true });
const wanted = values.only?.split(",") ?? LINES.map(({ id }) => id);
const model = await openModel(values.model, { threads: Number(values.threads) });
const dialect = await createChatDialect(requireTokenizer(model));
const env = createHousehold({ dial: "tiny", keptGames: 4_000 });
const tasks: Task[] = [];
for await (const task of env.tasks(values.split, { count: Number(values.tasks) })) tasks.push(task);

for (const { id, temperature, condition } of LINES) {
  if (!wanted.includes(id) || (await readKept(id)) !== undefined) continue;
  const common = { policy: model, dialect, env, seed: 1 };
  const told = condition === "analyst" ? analystCondition(common) : condition;
  const measured = await evaluate({ ...common, tasks, temperature, condition: told });
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
  for (const { id, label } of LINES) {
    // The largest measurement that there is: some conditions are dear and are measured on fewer tasks.
    const files = (await readdir(kept)).filter((name) => name.startsWith(`${id}-${values.split}-`));
    const all = await Promise.all(files.map(async (name) => JSON.parse(await readFile(join(kept, name), "utf8"))));
    const [measured] = (all as Measured[]).toSorted((left, right) => right.tasks - left.tasks);
    if (measured === undefined) continue;
    const { success, low, high, tasks: count, refused, families } = measured;
    const shares = ["pick_and", "look", "pick_clean", "pick_heat", "pick_cool", "pick_two"].map((start) => {
      const share = Object.entries(families).find(([family]) => family.startsWith(start))?.[1];
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
  const table = [
    "| advice | tasks | success | 95% interval | refused commands | place | light | clean | heat | cool | two |",
    "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
  const path = join(values.model, "README.md");
  const card = await readFile(path, "utf8");
  const [begin, end] = [card.indexOf(BEGIN), card.indexOf(END)];
  if (begin < 0 || end < begin) {
    process.stdout.write(`${table}\n`);
    return;
  }
  await writeFile(path, `${card.slice(0, begin + BEGIN.length)}\n${table}\n${card.slice(end)}`);
}
