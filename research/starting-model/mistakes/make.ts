/**
 * Makes the models of `talk` and `archive` from players with mistakes: lessons and a new model here, its training with
 * PyTorch (timed-train.py), then a look at what it kept on the way, on validation tasks, and the folder with its card.
 *
 *     tsx research/starting-model/mistakes/make.ts --world talk --prepare WORK          words, start/, training.json
 *     tsx … --world talk --lessons WORK --first 0 --count 20000 [--right]               lessons with mistakes, or in what is right
 *     python research/starting-model/timed-train.py WORK OUT --seconds 300              OUT/1, OUT/2, … and marks.jsonl
 *     tsx … --world talk --look OUT/3 --tasks 120                                       a JSON line, validation tasks
 *     tsx … --world talk --bundle OUT/3 --out packages/world-models/talk                bfloat16 and a card
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundledModel, createModel, loadTokenizer } from "limbeck/local";
import { createChatDialect, openModel, type LocalModel } from "limbeck";
import { joinRows, packLesson } from "../rows.ts";
import { modelConfig } from "../settings.ts";
import { trainWords } from "../words.ts";
import type { Lesson } from "../lesson.ts";
import { bundle } from "./bundle.ts";
import { lessonsOf } from "./lessons.ts";
import { look } from "./look.ts";
import { making, mistakenWorlds, type MistakenWorld } from "./worlds.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string" },
    prepare: { type: "string" },
    lessons: { type: "string" },
    first: { type: "string", default: "0" },
    count: { type: "string", default: "10000" },
    /** Lessons in what is right alone. Where there are such, those with mistakes are learnt after them, from WORK/careless. */
    right: { type: "boolean", default: false },
    look: { type: "string" },
    bundle: { type: "string" },
    out: { type: "string" },
    tasks: { type: "string", default: "150" },
    threads: { type: "string", default: "1" },
  },
});
const { world = "" } = values;
const own = mistakenWorlds[world];
if (own === undefined) throw new Error(`Say --world ${Object.keys(mistakenWorlds).join(" or ")}.`);
const [tasks, threads] = [Number(values.tasks), Number(values.threads)];

if (values.prepare !== undefined) await prepare(values.prepare);
else if (values.lessons !== undefined) await write(values.lessons, Number(values.first), Number(values.count));
else if (values.look !== undefined) {
  const seen = await look(world, values.look, { split: "valid", tasks, threads });
  process.stdout.write(`${JSON.stringify({ world, folder: values.look, ...seen })}\n`);
} else if (values.bundle !== undefined && values.out !== undefined) {
  await bundle(world, values.bundle, values.out, { tasks, threads });
} else throw new Error("Say --prepare, --lessons, --look, or --bundle with --out.");

/** The model to begin with: a bundled one with its words, or a new one with words of the world. */
async function prepare(work: string): Promise<void> {
  const { base, learningRate } = own as MistakenWorld;
  const model =
    base === undefined ? await untrained() : await openModel(bundledModel(base), { threads: 1, name: world });
  await model.save(join(work, "start"), { precision: "bfloat16", optimiser: false, progress: {} });
  await model.close();
  for (const kind of ["lessons", "careless"]) await mkdir(join(work, kind), { recursive: true });
  await writeFile(join(work, "training.json"), `${JSON.stringify({ world, ...making, learningRate }, undefined, 2)}\n`);
}

async function untrained(): Promise<LocalModel> {
  const lessons: Lesson[] = [];
  for await (const lesson of lessonsOf(world, 0, making.wordLessons)) lessons.push(lesson);
  const tokenizer = trainWords(lessons, making.vocabularySize);
  const config = { ...modelConfig, layers: own?.layers ?? modelConfig.layers };
  return await createModel(config, { threads: 1, name: world, seed: making.seed, tokenizer });
}

/** Under another name until they are whole: somebody may be waiting for them. */
async function write(work: string, first: number, count: number): Promise<void> {
  const dialect = await createChatDialect(await loadTokenizer(join(work, "start")));
  const rows: Uint16Array[] = [];
  let won = 0;
  for await (const lesson of lessonsOf(world, first, count, values.right ? "right" : "mixed")) {
    const row = packLesson(lesson, dialect);
    if (row.length > (own?.mostTokens ?? 0)) continue;
    rows.push(row);
    won += Number(lesson.success);
  }
  const joined = joinRows(rows);
  const path = join(work, values.right ? "lessons" : "careless", `lessons-${first}.bin`);
  await writeFile(`${path}.writing`, new Uint8Array(joined.buffer, 0, joined.byteLength));
  await rename(`${path}.writing`, path);
  const { longest, tokens } = rows.reduce(
    (sum, { length }) => ({ longest: Math.max(sum.longest, length), tokens: sum.tokens + length }),
    { longest: 0, tokens: 0 },
  );
  process.stdout.write(`${JSON.stringify({ world, first, lessons: rows.length, tokens, longest, won })}\n`);
}
