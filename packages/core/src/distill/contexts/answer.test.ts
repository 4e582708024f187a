import { expect, test } from "vitest";
import { episodeOf, tellEach } from "../../../../../test/support/context-bench.ts";

test("the last action of the solution, asked for once for each task", async () => {
  let asked = 0;
  const solve = () => {
    asked += 1;
    return Promise.resolve({ plan: ["search", "answer 42"], answer: "answer 42" });
  };
  const episodes = [episodeOf("a", [{ action: "x" }]), episodeOf("b", [{ action: "y" }])];
  const told = await tellEach("answer", episodes, { sources: { solve } });
  expect(told.map((one) => one?.episodeSkill?.text)).toEqual(["This worked: answer 42.", "This worked: answer 42."]);
  expect(asked).toBe(1);
});

test("nothing where the demonstrator fails", async () => {
  const told = await tellEach("answer", [episodeOf("a", [{ action: "x" }])], {
    sources: { solve: () => Promise.resolve(undefined) },
  });
  expect(told).toEqual([undefined]);
});
