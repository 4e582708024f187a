/**
 * Questions with answers as a world of one step, so that lift can be measured without an environment. The answer is right
 * when it holds the expected one, or when a judge says so; a judge that fails leaves the episode unscored.
 */
import { EngineError, errorData } from "limbeck-base/base/errors";
import { parseObject } from "limbeck-base/base/json";
import { cutWords } from "limbeck-base/base/words";
import { episodeOf } from "../../env/episode-of.ts";
import type { Env, Episode } from "../../env/env.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Task } from "limbeck-base/trajectory/trajectory";

export interface DatasetRow {
  readonly id: string;
  readonly prompt: string;
  readonly answer: string;
}

/** Whether an answer is right; rejects where it cannot say. */
export type AnswerJudge = (row: DatasetRow, answer: string, signal: AbortSignal | undefined) => Promise<boolean>;

/**
 * One JSON object a line: prompt and answer, an id where there is one.
 *
 * @example
 * console.log(readDataset('{"prompt":"What is 2 + 2?","answer":"4"}', "sums.jsonl")); // [ { id: "1", prompt: "What is 2 + 2?", answer: "4" } ]
 */
export function readDataset(text: string, path: string): DatasetRow[] {
  const rows = text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const row = parseObject(line);
    const { prompt, answer, id = `${at + 1}` } = row ?? {};
    if (typeof prompt === "string" && typeof answer === "string" && typeof id === "string")
      return [{ id, prompt, answer }];
    throw new EngineError(
      "bad-input",
      `Line ${at + 1} of ${path} needs "prompt" and "answer" as texts, "id" if given.`,
    );
  });
  if (rows.length > 0) return rows;
  throw new EngineError("bad-input", `${path} has no lines; each is {"prompt": "…", "answer": "…"}.`);
}

/**
 * The questions as a world. Default judge: the answer holds the expected one.
 *
 * @example
 * const env = datasetEnv([{ id: "q1", prompt: "What is 2 + 2?", answer: "4" }]);
 * for await (const task of env.tasks("all")) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("It is 4.")).success); // true
 * }
 */
export function datasetEnv(rows: readonly DatasetRow[], judge: AnswerJudge = holdsAnswer): Env {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    id: "dataset",
    summary: "Questions with answers, one step each.",
    maxSteps: 1,
    splits: { all: rows.length },
    tasks: function* (_split, { offset = 0, count = rows.length } = {}) {
      for (const { id, prompt } of rows.slice(offset, offset + count)) {
        yield { id, env: "dataset", seed: 0, goal: prompt, split: "all" } satisfies Task;
      }
    },
    open: (task) => {
      const row = byId.get(task.id);
      if (row === undefined) throw new EngineError("unknown-name", `No question "${task.id}" in this dataset.`);
      return Promise.resolve(ask(task, row, judge));
    },
  };
}

interface Answered {
  readonly reward: Score;
  readonly success: boolean | null;
}

function ask(task: Task, row: DatasetRow, judge: AnswerJudge): Episode {
  return episodeOf<Answered | undefined>(task, undefined, {
    observation: (answered) => (answered === undefined ? row.prompt : ""),
    stateKey: (answered) => `${row.id} ${answered === undefined ? "asked" : "answered"}`,
    ending: (answered) => answered && "terminated",
    reward: (answered) => answered?.reward ?? unscored("not answered yet"),
    success: (answered) => answered?.success ?? null,
    step: async (_, action, { signal }) => {
      const state = await judged(row, action, judge, signal);
      return { state, valid: true, reward: state.reward };
    },
  });
}

async function judged(row: DatasetRow, answer: string, judge: AnswerJudge, signal?: AbortSignal): Promise<Answered> {
  try {
    const right = await judge(row, answer, signal);
    return { reward: scored(right ? 1 : 0), success: right };
  } catch (error) {
    return { reward: unscored(`the judge failed: ${errorData(error).message}`), success: null };
  }
}

function holdsAnswer({ answer }: DatasetRow, given: string): Promise<boolean> {
  const plain = (text: string): string => ` ${cutWords(text).join(" ")} `;
  return Promise.resolve(plain(given).includes(plain(answer)));
}
