/** The start of the study: the model is cloned from lessons by an adapter, until it succeeds now and then by itself. */
import { objectives, trainSupervised } from "limbeck/update";
import { createSchedule, openTinkerPolicy } from "limbeck/policy";
import { createChatDialect } from "limbeck";
import { loadTokenizer } from "limbeck/local";
import { conditions } from "../starting-model/conditions.ts";
import { evaluate, type Condition, type Measured } from "../starting-model/evaluate.ts";
import { everyNth, MEASURED, openGames, tasksOf } from "./games.ts";
import { readLessons, rowOf } from "./lessons.ts";

export interface WarmUpOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Folder with the tokenizer. */
  readonly model: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly games: string;
  readonly lessons: string;
  /** Folder of the adapter. */
  readonly out: string;
  readonly updates: number;
  readonly batchRows: number;
  readonly learningRate: number;
  readonly rank: number;
  readonly measureEvery: number;
  /** Games of a measurement on the way. */
  readonly measureGames: number;
  /** Ends the training once so many succeed without advice. */
  readonly enough: number;
  readonly seed: number;
  readonly say: (event: Readonly<Record<string, unknown>>) => void;
}

export const TEMPERATURE = 0.4;
export const ANSWER_TOKENS = 32;

export async function warmUp(options: WarmUpOptions): Promise<void> {
  const { url, apiKey, vocabularySize, contextLength, seed, rank, say } = options;
  const dialect = await createChatDialect(await loadTokenizer(options.model));
  const begun = performance.now();
  const seconds = (): number => Math.round((performance.now() - begun) / 100) / 10;
  const rows = (await readLessons(options.lessons)).flatMap((lesson) => rowOf(lesson, dialect, contextLength) ?? []);
  say({
    event: "lessons",
    lessons: rows.length,
    tokens: rows.reduce((sum, { ids }) => sum + ids.length, 0),
    seconds: seconds(),
  });
  const policy = await openTinkerPolicy({ url, apiKey, vocabularySize, contextLength, rank, seed });
  const env = await openGames(options.games);
  const tasks = everyNth(await tasksOf(env, MEASURED), options.measureGames);
  const measured = async (): Promise<Measured> =>
    await evaluate({
      policy,
      dialect,
      env,
      tasks,
      condition: {},
      temperature: TEMPERATURE,
      seed,
      answerTokens: ANSWER_TOKENS,
    });
  const stop = new AbortController();
  let tokens = 0;
  try {
    await trainSupervised(policy, rows, {
      objective: objectives["cross-entropy"].create(),
      schedule: createSchedule({
        kind: "cosine",
        learningRate: options.learningRate,
        finalLearningRate: options.learningRate / 10,
        steps: options.updates,
        warmupSteps: Math.min(10, options.updates),
      }),
      steps: options.updates,
      batchRows: options.batchRows,
      seed,
      clipNorm: 1,
      signal: stop.signal,
      onStep: async ({ step, loss, gradientNorm, tokens: read }) => {
        tokens += read;
        if (step % 10 === 0 || step === 1)
          say({ event: "update", step, loss, gradientNorm, tokens, seconds: seconds() });
        if (step % options.measureEvery !== 0 || step === options.updates) return;
        const found = await measured();
        say({ event: "measured", step, ...found, seconds: seconds() });
        // Should a later one be too good, this one is there.
        await policy.download(`${options.out}-${step}`);
        if (found.success >= options.enough) stop.abort();
      },
    }).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    await policy.download(options.out);
    say({ event: "saved", folder: options.out, seconds: seconds() });
  } finally {
    await policy.close();
  }
}

export interface CardOptions extends Omit<
  WarmUpOptions,
  "lessons" | "out" | "updates" | "batchRows" | "learningRate" | "measureEvery" | "measureGames" | "enough"
> {
  /** Conditions by name, with the number of games of each. */
  readonly conditions: Readonly<Record<string, number>>;
}

/** The model card: the base model of a server, with advice of several kinds and without. */
export async function measureCard(options: CardOptions): Promise<void> {
  const { url, apiKey, vocabularySize, contextLength, seed, rank, say } = options;
  const dialect = await createChatDialect(await loadTokenizer(options.model));
  const policy = await openTinkerPolicy({ url, apiKey, vocabularySize, contextLength, rank, seed });
  const env = await openGames(options.games);
  const all = await tasksOf(env, MEASURED);
  const known: Readonly<Record<string, Condition>> = conditions;
  try {
    await Promise.all(
      Object.entries(options.conditions).map(async ([name, count]) => {
        const tasks = everyNth(all, count);
        const shared = { dialect, env, tasks, temperature: TEMPERATURE, answerTokens: ANSWER_TOKENS };
        const found = await evaluate({ policy: policy.start, ...shared, condition: known[name] ?? {}, seed });
        say({ event: "card", condition: name, ...found });
      }),
    );
  } finally {
    await policy.close();
  }
}
