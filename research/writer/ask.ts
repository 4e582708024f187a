/**
 * Held-out groups and the questions about them, for the card.
 *
 *     tsx research/writer/ask.ts OUT --world household --part 0 --seconds 40
 *
 * OUT gets `ask-WORLD-PART.bin` (questions for train.py to answer) and `ask-WORLD-PART.jsonl` (what they are about). Groups are of the
 * world's bundled model where it has one, else of agents with planted errors.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createRng, type Trajectory, createChatDialect } from "limbeck";
import { loadTokenizer } from "limbeck/local";
import { joinRows } from "../starting-model/rows.ts";
import { questionOf, type Example } from "./example.ts";
import { examplesOf, study } from "./examples.ts";
import { hasModel, modelGroups, plantedGroup } from "./groups.ts";
import { openWorlds, type WriterWorld } from "./worlds.ts";

const BASE = fileURLToPath(new URL("../../packages/base-model", import.meta.url));
const GROUP = 4;
const TASKS_AT_ONCE = 8;
const PART = 1_000;
/** More than the trainer has time to answer would leave most worlds with a handful. */
const MOST_GROUPS = 64;

export interface Asked {
  readonly group: readonly Trajectory[];
  readonly examples: readonly Example[];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      world: { type: "string", default: "household" },
      part: { type: "string", default: "0" },
      seconds: { type: "string", default: "40" },
    },
  });
  const [out] = positionals;
  if (out === undefined) throw new Error("Name the folder to write to.");
  await mkdir(out, { recursive: true });
  const [world] = (await openWorlds([values.world])) as [WriterWorld];
  const dialect = await createChatDialect(await loadTokenizer(BASE));
  const until = Date.now() + 1_000 * Number(values.seconds);
  const rows: Uint16Array[] = [];
  const asked: Asked[] = [];
  // A split that is small is gone through once, each part from another place.
  const most = (world.env.splits["test"] ?? Number.POSITIVE_INFINITY) / 3;
  for (let task = 0; Date.now() < until && task < most && asked.length < MOST_GROUPS; task += TASKS_AT_ONCE) {
    const offset = Number(values.part) * (Number.isFinite(most) ? Math.floor(most) : PART) + task;
    const planted = (at: number): Promise<Trajectory[]> =>
      plantedGroup(world, { split: "test", number: offset + at, name: `card ${offset + at}` });
    const groups = hasModel(world)
      ? await modelGroups(world, { split: "test", offset, tasks: TASKS_AT_ONCE })
      : await Promise.all(Array.from({ length: TASKS_AT_ONCE }, (_, at) => planted(at)));
    for (const group of groups) {
      const studied = await study(world, group);
      // One episode of each group is written about: the first that failed, as analysts are asked after failures.
      const focus = group.find(({ success }) => success !== true) ?? group[0];
      if (studied === undefined || focus === undefined) continue;
      const rng = createRng(`card ${focus.id}`);
      const examples = (await examplesOf(studied, rng, { only: focus.id })).filter((example) => {
        const row = dialect.opening(questionOf(example));
        if (row.length > 1_600) return false;
        rows.push(Uint16Array.from(row));
        return true;
      });
      asked.push({ group, examples });
    }
  }
  const file = `ask-${world.id}-${values.part}`;
  await writeFile(join(out, `${file}.bin`), new Uint8Array(joinRows(rows).buffer));
  await writeFile(join(out, `${file}.jsonl`), asked.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const won = asked.flatMap(({ group }) => group).filter(({ success }) => success === true).length;
  process.stdout.write(
    `${JSON.stringify({ file, groups: asked.length, questions: rows.length, won: won / Math.max(1, asked.length * GROUP) })}\n`,
  );
}

await main();
