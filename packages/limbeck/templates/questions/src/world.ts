/**
 * The world: questions that are answered by searching your own text files.
 *
 *     <search>pump P40 weight</search>
 *     <answer>18 kilograms</answer>
 *
 * It is limbeck's world "research" over the files of notes/ and the questions of questions.jsonl.
 */
import { type Env, defineWorld } from "limbeck";
import { type Demonstrator, bm25Retriever, createResearch } from "limbeck/env";
import { readPassages, readQuestions } from "./notes.ts";

const ID = "my-questions";
/** Turns of an episode, the answer included. */
const MAX_TURNS = 3;
/** Passages that a search shows. */
const SHOWN = 2;

const questions = readQuestions();

function createEnv(): Env {
  return createResearch({
    retriever: bm25Retriever(readPassages()),
    questions,
    corpus: ID,
    maxTurns: MAX_TURNS,
    topk: SHOWN,
  });
}

/** Shows how it is done: it searches with the words of the question, then gives the answer of questions.jsonl. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Searches once, then gives the known answer.",
  start: ({ goal }) => {
    const asked = Object.values(questions)
      .flat()
      .find(({ question }) => goal.includes(question));
    let searched = false;
    return {
      next: () => {
        if (searched) return `<answer>${asked?.answers[0] ?? "unknown"}</answer>`;
        searched = true;
        return `<search>${(asked?.question ?? goal).replace(/[?.!]+$/, "")}</search>`;
      },
    };
  },
};

export default defineWorld({
  id: ID,
  info: { title: "My questions", meaning: "Answers questions by searching text files." },
  options: {},
  create: createEnv,
  demonstrators: { expert },
});
