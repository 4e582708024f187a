/** Targets that read folders: models, runs, skills. One file of a good folder is damaged at a time. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readAdapter, saveAdapter } from "../../../packages/policy/src/policy/local/adapter-files.ts";
import { createAdapter } from "../../../packages/policy/src/policy/local/lora.ts";
import { openModel } from "../../../packages/policy/src/policy/local/open-model.ts";
import { createChat } from "../../../packages/policy/src/policy/local/chat-template.ts";
import { openGgufModel } from "../../../packages/policy/src/policy/local/gguf/model.ts";
import { readLlama2c, readLlama2cTokenizer } from "../../../packages/policy/src/policy/local/llama2c.ts";
import { loadTokenizer } from "../../../packages/policy/src/policy/local/load-tokenizer.ts";
import { type ModelFolder, openModelFolder } from "../../../packages/policy/src/policy/local/model-folder.ts";
import { openSafetensors } from "../../../packages/policy/src/policy/local/safetensors.ts";
import { createTokenizer } from "../../../packages/policy/src/policy/local/tokenizer.ts";
import { createWeights } from "../../../packages/policy/src/policy/local/weights.ts";
import { NO_STATISTICS } from "../../../packages/core/src/skill/library/library-skill.ts";
import { openLibrary } from "../../../packages/core/src/skill/library/library.ts";
import { openStore } from "../../../packages/store/src/store/open-store.ts";
import { families, familyFiles, type FamilyName } from "../../support/chat-templates.ts";
import { ggufBytes } from "../../support/gguf.ts";
import { kitchen } from "../../support/sample-store.ts";
import { sampleTrajectory } from "../../support/samples.ts";
import { writeTinyModel } from "../../support/tiny-folder.ts";
import { PIECE_WORDS, sizesOf, tensorsOf, TINY, tinyWeights } from "../../support/tiny-gguf.ts";
import { type Seed, type Target, type TargetKind, textSeed } from "../target.ts";

/** All files below a folder as seeds. */
export async function seedsIn(folder: string, wanted = /./): Promise<Seed[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll("\\", "/")).sort();
  const seeds: Seed[] = [];
  for (const name of names) {
    if (!wanted.test(name) || !(await stat(join(folder, name))).isFile()) continue;
    seeds.push({ name, bytes: await readFile(join(folder, name)) });
  }
  return seeds;
}

/** `make` fills a folder; each case is that folder with one file replaced. */
export function folderTarget(
  reads: string,
  make: (folder: string) => Promise<void>,
  read: (folder: string) => Promise<unknown>,
  wanted = /./,
): TargetKind {
  return {
    open: async ({ folder }): Promise<Target & { readonly seeds: readonly Seed[] }> => {
      const good = join(folder, "good");
      await mkdir(good, { recursive: true });
      await make(good);
      const seeds = await seedsIn(good, wanted);
      return {
        reads,
        seeds,
        run: async ({ name, bytes }) => {
          await mkdir(dirname(join(good, name)), { recursive: true });
          await writeFile(join(good, name), bytes);
          try {
            return await read(good);
          } finally {
            const whole = seeds.find((seed) => seed.name === name);
            await rm(join(good, name), { force: true });
            if (whole !== undefined) await writeFile(join(good, name), whole.bytes);
          }
        },
      };
    },
  };
}

function fileTarget(
  reads: string,
  name: string,
  seeds: () => readonly Buffer[],
  read: (path: string) => Promise<unknown>,
): TargetKind {
  return {
    open: async ({ folder }) => ({
      reads,
      seeds: seeds().map((bytes) => ({ name, bytes })),
      run: async ({ bytes }) => {
        await writeFile(join(folder, name), bytes);
        return await read(join(folder, name));
      },
    }),
  };
}

async function readWeights(open: Promise<ModelFolder>): Promise<unknown> {
  const model = await open;
  try {
    await model.readWeights(createWeights(model.config));
    return model.metadata;
  } finally {
    await model.close();
  }
}

const CHAT = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Where is the mug?" },
  { role: "assistant", content: "On the desk." },
] as const;

async function chatOf(folder: string): Promise<unknown> {
  const tokenizer = await loadTokenizer(folder);
  const ids = tokenizer.encode("the cat sat on <|im_start|> the mat \u{1F600}");
  const chat = await createChat(tokenizer);
  return [tokenizer.decode(ids), chat?.encode([...CHAT], { replies: "last" })];
}

function safetensors(): Buffer {
  const header = JSON.stringify({
    __metadata__: { format: "pt" },
    one: { dtype: "F32", shape: [2, 3], data_offsets: [0, 24] },
    two: { dtype: "BF16", shape: [4], data_offsets: [24, 32] },
  });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(32, 1)]);
}

export const fileTargets: Readonly<Record<string, TargetKind>> = {
  safetensors: fileTarget(
    "policy/local/safetensors.ts",
    "model.safetensors",
    () => [safetensors()],
    async (path) => {
      const file = await openSafetensors(path);
      try {
        for (const [name, { shape }] of file.tensors) {
          const size = shape.reduce((product, side) => product * side, 1);
          if (size < 1e6) await file.readInto(name, new Float32Array(size));
        }
        return [...file.tensors.keys()];
      } finally {
        await file.close();
      }
    },
  ),
  gguf: fileTarget(
    "policy/local/gguf",
    "model.gguf",
    () => [ggufBytes({ ...sizesOf(TINY), ...PIECE_WORDS }, tensorsOf(TINY, tinyWeights(TINY)))],
    async (path) => [await readWeights(openGgufModel(path)), (await loadTokenizer(path)).encode("ab a b")],
  ),
  "gguf-words": fileTarget(
    "policy/local/gguf/tokenizer.ts",
    "words.gguf",
    () => [ggufBytes({ ...sizesOf(TINY), ...PIECE_WORDS }, [])],
    async (path) => await chatOf(path),
  ),
  llama2c: fileTarget(
    "policy/local/llama2c.ts",
    "model.bin",
    () => [Buffer.concat([Buffer.from(Int32Array.of(4, 4, 1, 1, 1, 3, 2).buffer), Buffer.alloc(4 * 144)])],
    async (path) => (await readLlama2c(path)).config,
  ),
  "llama2c-words": fileTarget(
    "policy/local/llama2c.ts",
    "words.bin",
    () => {
      const pieces = Array.from({ length: 260 }, (_, id) => {
        const piece = Buffer.from(`piece ${id}`);
        return [Buffer.from(Float32Array.of(-id).buffer), Buffer.from(Int32Array.of(piece.length).buffer), piece];
      });
      return [Buffer.concat([Buffer.alloc(4), ...pieces.flat()])];
    },
    async (path) => await createTokenizer(await readLlama2cTokenizer(path)),
  ),
  "model-folder": folderTarget("policy/local/model-folder.ts", writeTinyModel, async (folder) => [
    await readWeights(openModelFolder(folder)),
    await chatOf(folder),
  ]),
  tokenizer: folderTarget(
    "policy/local/tokenizer.ts",
    async (folder) => {
      await writeTinyModel(folder);
      await rm(join(folder, "model.safetensors"), { force: true });
    },
    chatOf,
    /^tokenizer.*json$/,
  ),
  "chat-template": {
    open: async () => ({
      reads: "policy/local/chat-template.ts",
      seeds: Object.entries(families).map(([name, { template }]) => textSeed(template, name)),
      run: async ({ name, bytes }) => {
        const tokenizer = await createTokenizer(familyFiles(name as FamilyName, bytes.toString()));
        return (await createChat(tokenizer))?.encode([...CHAT], { replies: "last" });
      },
    }),
  },
  adapter: folderTarget(
    "policy/local/adapter-files.ts",
    async (folder) => {
      await writeTinyModel(join(folder, "..", "base"));
      const model = await openModel(join(folder, "..", "base"), { threads: 1 });
      await saveAdapter(folder, createAdapter(model.config, { rank: 2 }));
      await model.close();
    },
    async (folder) => (await readAdapter(folder)).lora,
  ),
  "run-folder": folderTarget(
    "store",
    async (folder) => {
      const store = openStore(folder, { now: () => new Date("2026-03-04T05:06:07Z") });
      const run = await store.createRun({ id: "demo", kind: "rollout", config: { seed: 7 } });
      await run.append(kitchen);
      await run.append(sampleTrajectory("second"));
      await run.addMetrics(1, { loss: 0.5 });
      await run.addEvent("note", { text: "x" });
      run.setState({ step: 1 });
      await run.close();
      await store.close();
    },
    async (folder) => {
      const store = openStore(folder);
      try {
        const runs = await store.runs();
        const ids: string[] = [];
        for await (const { id } of store.trajectories()) ids.push(id);
        const { rows } = await store.query("select count(*) as n from trajectories");
        return [runs, ids, rows, await store.stateOf("demo")].map((value) =>
          JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)),
        );
      } finally {
        await store.close();
      }
    },
  ),
  "skill-library": folderTarget(
    "skill/library",
    async (folder) => {
      const library = openLibrary(folder);
      const skill = {
        name: "heat-it",
        description: "How to heat things.",
        level: "task",
        status: "candidate",
        when: { goals: ["put a hot {1} in {2}."] },
        text: "This worked: heat the {1} with the microwave.",
        evidence: [{ trajectory: "t1", steps: [2] }],
        support: { successes: 3, failures: 1 },
        statistics: NO_STATISTICS,
        source: "statistics",
      } as const;
      await library.add(skill, { by: "test", action: "extracted" });
      await library.report("heat-it", { at: "2026-03-04T05:06:07Z", offered: true, success: true, by: "test" });
      await library.list();
    },
    async (folder) => {
      const library = openLibrary(folder);
      return [await library.list(), await library.read("heat-it")];
    },
  ),
};
