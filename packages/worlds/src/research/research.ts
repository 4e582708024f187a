/** Multi-hop question answering with retrieval, as an environment: over a generated world or over given files. */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { Json } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env } from "limbeck-core/env/env";
import { numberedTasks } from "limbeck-core/env/task-file";
import { FORMS, openEpisode, type EpisodeRules } from "./episode.ts";
import type { Question } from "./load.ts";
import type { Retriever } from "./retriever.ts";

export interface ResearchOptions {
  readonly retriever: Retriever;
  /** Questions by split. */
  readonly questions: Readonly<Record<string, readonly Question[]>>;
  /** Names the corpus in task ids, so that a task of another corpus is refused rather than asked without its passages. */
  readonly corpus: string;
  /** Turns of an episode, the answer included. Default: 4. */
  readonly maxTurns?: number;
  /** Passages a search shows. Default: 3. */
  readonly topk?: number;
  /** A longer query is refused. Default: 1,000. */
  readonly maxQueryCharacters?: number;
  /**
   * A reply that holds a block but breaks the form (both kinds, or one twice) is refused, and the turn is spent. "act"
   * carries the first block out all the same, as OPID does.
   */
  readonly malformed?: "refuse" | "act";
  /** The opening says how to reply. Default: true. The question alone is what OPID's environment shows. */
  readonly guide?: boolean;
}

const ID = "research";

/**
 * Questions that are answered by searching a corpus.
 *
 * @example
 * import { bm25Retriever } from "limbeck/env";
 *
 * const retriever = bm25Retriever([{ id: "emma", contents: '"Emma"\nA novel by Jane Austen.' }]);
 * const question = { id: "q1", question: "Who wrote Emma?", answers: ["Jane Austen"], support: ["emma"] };
 * const env = createResearch({ retriever, questions: { train: [question] }, corpus: "novels" });
 * for await (const task of env.tasks("train")) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("<answer>Jane Austen</answer>")).success); // true
 * }
 */
export function createResearch(options: ResearchOptions): Env {
  const { questions, corpus, guide = true } = options;
  const rules: EpisodeRules = {
    retriever: options.retriever,
    maxTurns: atLeastOne("maxTurns", options.maxTurns ?? 4),
    topk: atLeastOne("topk", options.topk ?? 3),
    maxQueryCharacters: atLeastOne("maxQueryCharacters", options.maxQueryCharacters ?? 1_000),
    malformed: options.malformed ?? "refuse",
  };
  const prefix = `${ID}/${corpus}/`;
  const splits = Object.fromEntries(Object.entries(questions).map(([split, list]) => [split, list.length]));
  return {
    id: ID,
    summary: "Questions whose answers must be joined from several passages, found by searching.",
    maxSteps: rules.maxTurns,
    splits,
    tasks: (split, range) =>
      numberedTasks(ID, splits, split, range, (index) =>
        toTask(prefix, split, index, questions[split]?.[index] as Question),
      ),
    open: async (task, { signal } = {}) => {
      throwIfAborted(signal);
      const answers = task.data?.["answers"];
      if (task.env !== ID || !task.id.startsWith(prefix) || !isAnswers(answers)) {
        throw new EngineError(
          "bad-task",
          `Task "${task.id}" (environment "${task.env}") is not a question of the corpus "${corpus}". Its id must begin with "${prefix}" and data.answers must list at least one answer.`,
          { details: { task: task.id, corpus } },
        );
      }
      const opening = guide ? `Question: ${task.goal}\n${FORMS}` : task.goal;
      return Promise.resolve(openEpisode(rules, task, answers, opening));
    },
  };
}

function toTask(prefix: string, split: string, index: number, question: Question): Task {
  const { answers, support, hops } = question;
  return {
    id: `${prefix}${split}/${index}`,
    env: ID,
    seed: index,
    goal: question.question,
    split,
    data: { question: question.id, answers, support, ...(hops === undefined ? {} : { hops }) },
  };
}

function isAnswers(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
}

function atLeastOne(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new EngineError("bad-option", `Research option ${name} is ${value}; it must be a whole number of at least 1.`);
}
