/** npm test: every question can be answered from the notes, and the world keeps its promises. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRng } from "limbeck";
import { checkEnv } from "limbeck/testing";
import { readPassages, readQuestions } from "./notes.ts";
import world from "./world.ts";

test("every question has an answer that stands in the notes", () => {
  const text = readPassages()
    .map(({ contents }) => contents)
    .join("\n");
  for (const { question, answers } of Object.values(readQuestions()).flat()) {
    assert.ok(
      answers.some((answer) => text.includes(answer)),
      question,
    );
  }
});

test("the expert's search shows the answer, and its answer is right", async () => {
  const env = await world.create();
  const expert = world.demonstrators?.["expert"];
  assert.ok(expert);
  for (const split of Object.keys(env.splits)) {
    for await (const task of env.tasks(split)) {
      const episode = await env.open(task);
      const shown = expert.start(task, createRng(0));
      const search = shown.next({ action: undefined, observation: episode.observation });
      const { observation } = await episode.step(search);
      const answer = shown.next({ action: search, observation });
      assert.ok(observation.includes(answer.replaceAll(/<\/?answer>/g, "")), task.goal);
      assert.equal((await episode.step(answer)).success, true, task.goal);
    }
  }
});

test("the same task gives the same texts, forks stay apart, and the end is the end", async () => {
  const candidates = (): readonly string[] => ["<search>pump</search>", "<answer>Heron</answer>"];
  await checkEnv(await world.create(), { candidates, invalidChanges: "turn", runs: 10 });
});
