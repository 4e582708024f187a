/**
 * Questions as a world of one step, so that lift can be measured without an environment. The answer is right when it is what the
 * line expects, or when a function or a judge says so; one that fails leaves the episode unscored.
 */
import { EngineError, errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { isObject, parseObject, type JsonObject } from "limbeck-base/base/json";
import { episodeOf } from "../../env/episode-of.ts";
import type { Env, Episode } from "../../env/env.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Task } from "limbeck-base/trajectory/trajectory";
import { checkExpected, isRight, saysWhatIsRight, type Expected } from "./expected.ts";

export interface DatasetRow extends Expected {
  readonly id: string;
  readonly prompt: string;
}

/** Whether an answer is right; rejects where it cannot say. */
export type AnswerJudge = (row: DatasetRow, answer: string, signal: AbortSignal | undefined) => Promise<boolean>;

/**
 * One JSON object a line: prompt, and what tells a right answer: answer, pattern or schema, which `judged` rows need not have; an
 * id where there is one.
 *
 * @example
 * console.log(readDataset('{"prompt":"What is 2 + 2?","answer":"4"}', "sums.jsonl")); // [ { id: "1", prompt: "What is 2 + 2?", answer: "4" } ]
 */
export function readDataset(text: string, path: string, { judged = false } = {}): DatasetRow[] {
  const rows = text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const { prompt, answer, pattern, schema, id = `${at + 1}` } = parseObject(line) ?? {};
    const texts = [answer, pattern].every((value) => value === undefined || typeof value === "string");
    const place = `Line ${at + 1} of ${path}`;
    if (typeof prompt !== "string" || typeof id !== "string" || !texts || !(schema === undefined || isObject(schema))) {
      throw new EngineError(
        "bad-input",
        `${place} needs "prompt" as text, "id", "answer" and "pattern" as texts and "schema" as an object if given.`,
      );
    }
    const row = withoutUndefined({ id, prompt, answer, pattern, schema }) as DatasetRow;
    if (!judged && !saysWhatIsRight(row)) throw undecidedError(place);
    checkExpected(row, place);
    return [row];
  });
  if (rows.length > 0) return rows;
  throw new EngineError("bad-input", `${path} has no lines; each is {"prompt": "…", "answer": "…"}.`);
}

/** Nothing would tell a success from a failure. */
export function undecidedError(place: string): EngineError {
  return new EngineError(
    "bad-input",
    `${place} does not say what is right, so that no lift can be measured. Give "answer", "pattern" or "schema" in the line, --check "COMMAND" (its exit code; with --agent), --decide FILE (a function), or --judge with --verdicts FILE.`,
  );
}

/**
 * The questions as a world. Default judge: the answer is what the line expects.
 *
 * @example
 * const env = datasetEnv([{ id: "q1", prompt: "What is 2 + 2?", answer: "4" }]);
 * for await (const task of env.tasks("all")) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("It is 4.")).success); // true
 * }
 */
export function datasetEnv(rows: readonly DatasetRow[], judge: AnswerJudge = expectedJudge): Env {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    id: "dataset",
    summary: "Questions with answers, one step each.",
    maxSteps: 1,
    splits: { all: rows.length },
    tasks: function* (_split, { offset = 0, count = rows.length } = {}) {
      for (const { id, prompt, ...expected } of rows.slice(offset, offset + count)) {
        const data = expected as JsonObject;
        yield { id, env: "dataset", seed: 0, goal: prompt, split: "all", data } satisfies Task;
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

function expectedJudge(row: DatasetRow, given: string): Promise<boolean> {
  return Promise.resolve(isRight(row, given));
}
