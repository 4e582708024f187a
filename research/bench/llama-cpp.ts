/**
 * Sampling with quantised weights against llama.cpp (`node-llama-cpp`), on the same file and as many threads, in turns: tokens a
 * second, ours as a share of theirs. It needs a folder in which node-llama-cpp is installed and a GGUF file of Q8_0 or Q4_0:
 *
 *   LIMBECK_LLAMA_CPP=../llama LIMBECK_GGUF=tinyllama-q8_0.gguf npm run bench -- llama-cpp
 *
 * `python research/bench/gguf-like.py` makes such a file, with random weights, from one of another kind.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openModel, requireTokenizer } from "../../packages/policy/src/policy/local/open-model.ts";
import { openGguf } from "../../packages/policy/src/policy/local/gguf/gguf-file.ts";
import type { Bench } from "./harness.ts";

const TOKENS = 24;
const THREADS = Number(process.env["LIMBECK_BENCH_THREADS"] ?? 2);
const PROMPT = "The capital of France is Paris. The capital of Italy is";

/** The part of node-llama-cpp that is used here. */
interface Llama {
  loadModel(options: { modelPath: string }): Promise<{
    tokenize(text: string, specials: boolean): number[];
    createContext(options: Record<string, number>): Promise<{
      getSequence(): {
        evaluate(tokens: readonly number[], options: object): AsyncGenerator;
        clearHistory(): Promise<void>;
      };
      dispose(): Promise<void>;
    }>;
    dispose(): Promise<void>;
  }>;
  dispose(): Promise<void>;
}

const [folder = "", file = ""] = [process.env["LIMBECK_LLAMA_CPP"], process.env["LIMBECK_GGUF"]];
const ready = folder !== "" && existsSync(join(folder, "node_modules/node-llama-cpp")) && existsSync(file);

function bench(streams: number, goal: number): Bench {
  return {
    name: streams === 1 ? "llama-cpp/one-stream" : `llama-cpp/${streams}-streams`,
    summary: `Tokens a second of ${streams} greedy ${streams === 1 ? "answer" : "answers at the same time"}, as a share of llama.cpp on the same file and ${THREADS} threads.`,
    unit: "of llama.cpp",
    goal: { at: "least", value: goal },
    repetitions: 3,
    setUp: async () => {
      const opened = await openGguf(file);
      const kind = opened.tensors.get("blk.0.ffn_up.weight")?.block.name === "Q4_0" ? "int4" : "int8";
      await opened.close();
      const entry = createRequire(join(resolve(folder), "package.json")).resolve("node-llama-cpp");
      const { getLlama } = (await import(pathToFileURL(entry).href)) as {
        readonly getLlama: (options: object) => Promise<Llama>;
      };
      const llama = await getLlama({ gpu: false, maxThreads: THREADS, build: "never", logLevel: "error" });
      const theirs = await llama.loadModel({ modelPath: file });
      const context = await theirs.createContext({
        sequences: streams,
        contextSize: 256,
        batchSize: 256,
        threads: THREADS,
      });
      const sequences = Array.from({ length: streams }, () => context.getSequence());
      const ours = await openModel(file, { weights: kind, threads: THREADS });
      const prompt = [...requireTokenizer(ours).encode(PROMPT)];
      const figures = { ours: 0, theirs: 0 };
      const rate = async (say: (stream: number) => Promise<(tokens: number) => Promise<unknown>>): Promise<number> => {
        const speakers = await Promise.all(Array.from({ length: streams }, (_, at) => say(at)));
        const begun = performance.now();
        await Promise.all(speakers.map((speak) => speak(TOKENS)));
        return (streams * TOKENS * 1_000) / (performance.now() - begun);
      };
      return {
        measure: async () => {
          figures.theirs = await rate(async (at) => {
            const sequence = sequences[at] as (typeof sequences)[number];
            await sequence.clearHistory();
            const said = sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true });
            await said.next();
            return async (tokens) => {
              for (let count = 0; count < tokens; count += 1) await said.next();
              await said.return(undefined);
            };
          });
          figures.ours = await rate(async (seed) => {
            const talk = ours.open({ seed });
            talk.extend(prompt);
            await talk.sample({ maxTokens: 1, temperature: 0 });
            return (maxTokens) => talk.sample({ maxTokens, temperature: 0 });
          });
          return figures.ours / figures.theirs;
        },
        notes: () => ({ weights: kind, "tokens/s": figures.ours, "llama.cpp": figures.theirs, threads: THREADS }),
        close: async () => {
          await ours.close();
          await context.dispose();
          await theirs.dispose();
          await llama.dispose();
        },
      };
    },
  };
}

if (!ready && process.argv.some((word) => "llama-cpp".startsWith(word) || word.startsWith("llama-cpp"))) {
  process.stdout.write(
    "llama-cpp is left out: LIMBECK_LLAMA_CPP must be a folder with node-llama-cpp installed, LIMBECK_GGUF a file of Q8_0 or Q4_0.\n",
  );
}

export const llamaCppBenches: readonly Bench[] = ready ? [bench(1, 0.8), bench(16, 1.5)] : [];
