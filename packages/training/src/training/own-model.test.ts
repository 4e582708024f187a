import { join } from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playedUpdate } from "../../../../test/support/played-update.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { getWorld } from "limbeck-worlds/index";
import { loadTokenizer } from "limbeck-policy/policy/local/load-tokenizer";
import type { Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import { train } from "./train.ts";

let root = "";
let tokenizer: Tokenizer;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-own-model-"));
  await writeTinyModel(join(root, "start"), 1, 1_024);
  tokenizer = await loadTokenizer(join(root, "start"));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const played = (settings: object) => playedUpdate(root, settings);
const textOf = (ids: Int32Array): string => tokenizer.decode(ids);

test("a system message, rebuilt prompts and tagged answers reach the policy", async () => {
  const told = await played({ system: "Be brief.", prompts: "rebuilt", history: 1, answerForm: "tagged" });
  const [first] = told;
  // One stream for each step, each with the system message in front.
  expect(first?.streams).toHaveLength(2);
  for (const { ids } of first?.streams ?? []) expect(textOf(ids)).toContain("Be brief.");
  // A random model writes no tags, so that nothing it says is an action.
  expect(first?.steps.map(({ action }) => action)).toEqual(["", ""]);
}, 60_000);

test("without them an episode is one stream, and whatever it says is an action", async () => {
  const plain = await played({});
  expect([plain[0]?.streams.length, plain[0]?.steps[0]?.action === ""]).toEqual([1, false]);
}, 60_000);

test("a stop text ends an answer, is no part of it, and the turn is closed after it", async () => {
  // Every letter e ends an answer: a random model says one soon.
  const episodes = await played({ stop: "e", answerTokens: 80, group: 4 });
  const steps = episodes.flatMap(({ steps: own, streams }) => own.map((step) => ({ step, streams })));
  const stopped = [];
  for (const { step, streams } of steps) {
    expect(step.action).not.toContain("e");
    const stream = step.span === undefined ? undefined : streams[step.span.stream];
    if (step.span === undefined || stream === undefined) continue;
    const said = textOf(stream.ids.subarray(step.span.start, step.span.end));
    if (!said.endsWith("e")) continue;
    const after = textOf(stream.ids.subarray(step.span.end));
    if (after !== "") stopped.push(after.startsWith("<|im_end|>"));
  }
  expect(stopped.length).toBeGreaterThan(0);
  expect(stopped).not.toContain(false);
}, 60_000);

test("thinking that the template cannot switch off is refused, before anything is played", async () => {
  await expect(played({ thinking: "off" })).rejects.toThrow(
    "Thinking cannot be switched off: the chat template of the model has no switch (enable_thinking).",
  );
  // A budget of thoughts is room beside the answer's.
  const [episode] = await played({ thinking: 30 });
  const longest = Math.max(
    ...(episode?.steps ?? []).map(({ span }) => (span === undefined ? 0 : span.end - span.start)),
  );
  expect([longest > 6, longest <= 36]).toEqual([true, true]);
}, 60_000);

test.each([
  [{ recipe: "otr" }, "The recipe otr"],
  [{ recipe: "tcod", settings: { curriculum: "back-to-front" } }, "The recipe tcod"],
  [{ recipe: "grpo", strategy: "retry" }, "The strategy retry of the recipe grpo"],
  [{ recipe: "grpo", credit: "matchtir" }, "The credit method matchtir"],
])("a world without a demonstrator: %o is refused before the first episode", async (chosen, who) => {
  const world = await (await getWorld("household")).create({ dial: "tiny" });
  let opened = 0;
  const env = { ...world, open: (...given: Parameters<typeof world.open>) => ((opened += 1), world.open(...given)) };
  const run = train({ ...chosen, env, dir: join(root, `run-${Math.random()}`) } as never);
  await expect(run).rejects.toThrow(`${who} needs somebody who can show how a task is done`);
  expect(opened).toBe(0);
});
