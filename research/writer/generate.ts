/**
 * Writes examples for the writer: questions as the engine puts them, answers that were checked by replay.
 *
 *     tsx research/writer/generate.ts OUT --shard 0 --shards 16 --seconds 100 [--bundled 4] [--split train] [--text 20]
 *
 * OUT gets `lessons-SHARD.bin` for train.py, or `held-SHARD.bin` where the split is not train, and the first examples as text.
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createRng, type Trajectory, createChatDialect } from "limbeck";
import { loadTokenizer } from "limbeck/local";
import { joinRows, packLesson } from "../starting-model/rows.ts";
import { questionOf, type Example } from "./example.ts";
import { examplesOf, study } from "./examples.ts";
import { hasModel, modelGroups, plantedGroup } from "./groups.ts";
import { openWorlds, type WriterWorld } from "./worlds.ts";

const BASE = fileURLToPath(new URL("../../packages/base-model", import.meta.url));
const LONGEST_ROW = 1_900;
/** Of the time, for groups that models play. */
const MODELS_SHARE = 0.45;
/** Worlds whose episodes are long and whose words are many are read more often. */
const TURNS =
  "household household household shop shop tools tools research research countdown archive draft emit ledger talk".split(
    " ",
  );

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      shard: { type: "string", default: "0" },
      shards: { type: "string", default: "1" },
      seconds: { type: "string", default: "60" },
      bundled: { type: "string", default: "0" },
      split: { type: "string", default: "train" },
      text: { type: "string", default: "20" },
    },
  });
  const [out] = positionals;
  if (out === undefined) throw new Error("Name the folder to write to.");
  const { split } = values;
  const [shard, shards] = [Number(values.shard), Number(values.shards)];
  await mkdir(out, { recursive: true });
  const begun = Date.now();
  const dialect = await createChatDialect(await loadTokenizer(BASE));
  const worlds = new Map((await openWorlds()).map((world) => [world.id, world]));
  const until = Date.now() + 1_000 * Number(values.seconds);
  const rows: Uint16Array[] = [];
  const kept: Example[] = [];
  const counts: Record<string, number> = {};
  let tooLong = 0;
  const add = async (world: WriterWorld, group: readonly Trajectory[], name: string): Promise<void> => {
    const studied = await study(world, group);
    if (studied === undefined) return;
    for (const example of await examplesOf(studied, createRng(name))) {
      const row = packLesson(
        { decisions: [{ message: questionOf(example), action: example.answer, learnt: true }] } as never,
        dialect,
      );
      if (row.length > LONGEST_ROW) {
        tooLong += 1;
        continue;
      }
      rows.push(row);
      counts[`${example.world} ${example.kind}`] = (counts[`${example.world} ${example.kind}`] ?? 0) + 1;
      if (kept.length < Number(values.text)) kept.push(example);
    }
  };
  // Each shard begins at another world, so that all have a share of the time for models.
  const withModel = [...worlds.values()].filter(hasModel);
  const [tasks, models] = [Number(values.bundled), begun + MODELS_SHARE * (until - begun)];
  const turns = tasks > 0 ? 3 * withModel.length : 0;
  for (let turn = 0; turn < turns && Date.now() < models; turn += 1) {
    const world = withModel[(shard + turn) % withModel.length] as WriterWorld;
    const offset = (Math.floor(turn / withModel.length) * shards + shard) * tasks;
    for (const group of await modelGroups(world, { split, offset, tasks })) await add(world, group, `bundled ${shard}`);
  }
  for (let round = 0; Date.now() < until; round += 1) {
    for (const id of TURNS) {
      if (Date.now() >= until) break;
      const number = round * shards * 3 + shard * 3 + (rows.length % 3);
      const name = `${split} ${round} ${shard} ${rows.length}`;
      const world = worlds.get(id) as WriterWorld;
      await add(world, await plantedGroup(world, { split, number, name }), name);
    }
  }
  const file = `${split === "train" ? "lessons" : "held"}-${String(shard).padStart(2, "0")}`;
  const joined = joinRows(rows);
  await writeFile(join(out, `${file}.making`), new Uint8Array(joined.buffer));
  await rename(join(out, `${file}.making`), join(out, `${file}.bin`));
  await writeFile(join(out, `${file}.jsonl`), kept.map((example) => `${JSON.stringify(example)}\n`).join(""));
  const seconds = Math.round((Date.now() - begun) / 1_000);
  process.stdout.write(
    `${JSON.stringify({ file, examples: rows.length, tokens: joined.length - rows.length, tooLong, seconds, counts })}\n`,
  );
}

await main();
