import { describe, expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import type { Env } from "limbeck-core/env/env";
import { envContract } from "limbeck-core/env/env.contract";
import { withInvalidActionPenalty } from "limbeck-core/env/with-invalid-action-penalty";
import { research } from "./index.ts";
import { createResearch, type ResearchOptions } from "./research.ts";
import { bm25Retriever, passageContents, type Passage, type Retriever } from "./retriever.ts";

const passages: Passage[] = [
  { id: "p1", contents: passageContents("Brass Heron", "Made by Ilse Marr. Kept in Velm.") },
  { id: "p2", contents: passageContents("Ilse Marr", "Born in Orrask.") },
  { id: "p3", contents: passageContents("Orrask", "A town on the Tessin; café “Zoë” \u0007 </information> is there.") },
  { id: "p4", contents: passageContents("Velm", "Another town.") },
];

function make(options: Partial<ResearchOptions> = {}) {
  const question = { id: "q", question: "Where was the maker of Brass Heron born?", answers: ["Orrask"], support: [] };
  return createResearch({
    retriever: bm25Retriever(passages),
    questions: { test: [question] },
    corpus: "hand",
    ...options,
  });
}

async function openFirst(env: Env) {
  for await (const task of env.tasks("test")) return env.open(task);
  throw new Error("no task");
}

const open = (options: Partial<ResearchOptions> = {}) => openFirst(make(options));

describe("a research episode", () => {
  test("searches, answers, and is rewarded at the end only", async () => {
    const episode = await open();
    expect(episode.observation).toContain("Question: Where was the maker of Brass Heron born?\n");
    expect(episode.admissible()).toBeUndefined();
    const first = await episode.step("I wonder.<search>Brass Heron</search> never read");
    expect(first).toMatchObject({ valid: true, reward: scored(0), ending: undefined, success: null });
    expect(first.observation).toBe(
      '<information>{"result": "Doc 1: \\"Brass Heron\\"\\nMade by Ilse Marr. Kept in Velm.\\n"}</information>',
    );
    const last = await episode.step("<answer>the ORRASK!</answer>");
    expect(last).toMatchObject({ valid: true, reward: scored(1), ending: "terminated", success: true });
    await expect(episode.step("<answer>x</answer>")).rejects.toMatchObject({ code: "episode-ended" });
  });

  test("a wrong answer is a scored zero", async () => {
    const episode = await open();
    const wrong = await episode.step("<answer>Velm</answer>");
    expect(wrong).toMatchObject({ valid: true, reward: scored(0), ending: "terminated", success: false });
  });

  test("running out of turns truncates with reward 0, and the last search is not run", async () => {
    let calls = 0;
    const local = bm25Retriever(passages);
    const counting: Retriever = {
      retrieve: (query, topk) => {
        calls += 1;
        return local.retrieve(query, topk);
      },
    };
    const episode = await open({ retriever: counting });
    for (let turn = 0; turn < 3; turn += 1) await episode.step("<search>town</search>");
    const last = await episode.step("<search>town</search>");
    expect(last).toMatchObject({ ending: "truncated", reward: scored(0), success: false });
    expect(calls).toBe(3);
  });

  test("passages are escaped: no control character, no early end of the block", async () => {
    const episode = await open();
    const { observation } = await episode.step("<search>Tessin</search>");
    expect(observation).toContain("caf\\u00e9 \\u201cZo\\u00eb\\u201d \\u0007 \\u003c/information>");
    const json = observation.slice("<information>".length, -"</information>".length);
    expect((JSON.parse(json) as { result: string }).result).toBe(`Doc 1: ${passages[2]!.contents}\n`);
  });

  test("a refused reply costs a turn and nothing else; OPID carries it out and takes 0.01", async () => {
    const both = "<search>Velm</search><answer>Orrask</answer>";
    const strict = await open();
    const key = strict.stateKey;
    expect(await strict.step(both)).toMatchObject({ valid: false, reward: scored(0), ending: undefined });
    expect(strict.stateKey).toBe(key);
    for (let turn = 0; turn < 2; turn += 1) await strict.step("what?");
    expect(await strict.step("what?")).toMatchObject({ valid: false, ending: "truncated" });

    const lenient = await openFirst(withInvalidActionPenalty(make({ malformed: "act" }), 0.01));
    const result = await lenient.step(both);
    expect(result).toMatchObject({ valid: false, reward: scored(-0.01), ending: undefined });
    expect(result.observation).toContain("Another town.");
  });

  test("equal reading is an equal state, whatever found it and in whatever order", async () => {
    const [one, other] = [await open(), await open()];
    await one.step("<search>Heron</search>");
    await one.step("<search>Tessin</search>");
    await other.step("<search>Tessin</search>");
    expect(other.stateKey).not.toBe(one.stateKey);
    await other.step("<search>brass made by</search>");
    await other.step("<search>nothing like it</search>");
    expect(other.stateKey).toBe(one.stateKey);
  });

  test("a query that is too long is refused, one that finds nothing is not", async () => {
    const episode = await open();
    const long = await episode.step(`<search>${"Velm ".repeat(20_000)}</search>`);
    expect(long.valid).toBe(false);
    expect(long.observation).toContain("99999 characters and at most 1000");
    const none = await episode.step("<search>zzz</search>");
    expect(none).toMatchObject({ valid: true });
    expect(none.observation).toContain("No search results found.");
    expect((await episode.step("<search> </search>")).valid).toBe(true);
  });

  test("a retriever that fails loses the world: failed, unscored, never zero", async () => {
    const broken: Retriever = { retrieve: () => Promise.reject(new Error("the cable is out")) };
    const episode = await open({ retriever: broken });
    const result = await episode.step("<search>Velm</search>");
    expect(result).toMatchObject({
      ending: "failed",
      success: null,
      reward: { kind: "unscored", why: "the cable is out" },
    });
    expect(episode.reward.kind).toBe("unscored");
    expect(episode.failure).toEqual({ code: "internal", message: "the cable is out" });
    expect((await episode.fork()).ending).toBe("failed");
    await expect(episode.step("<answer>x</answer>")).rejects.toMatchObject({ code: "episode-ended" });
  });

  test("cancelling is not failing: the episode can go on", async () => {
    const stop = new AbortController();
    const cancelled: Retriever = {
      retrieve: () => {
        stop.abort();
        return Promise.reject(new Error("aborted"));
      },
    };
    const episode = await open({ retriever: cancelled });
    const step = episode.step("<search>Velm</search>", { signal: stop.signal });
    await expect(step).rejects.toMatchObject({ code: "cancelled" });
    expect(episode.ending).toBeUndefined();
  });

  test("tasks of another corpus and bad options are refused", async () => {
    const env = make();
    const task = { id: "research/other/test/0", env: "research", seed: 0, goal: "?", split: "test" };
    await expect(env.open(task)).rejects.toThrow('must begin with "research/hand/"');
    const unanswerable = { ...task, id: "research/hand/test/0", data: { answers: [] } };
    await expect(env.open(unanswerable)).rejects.toMatchObject({ code: "bad-task" });
    expect(() => make({ maxTurns: 0 })).toThrow("maxTurns is 0");
    expect(() => [...(env.tasks("tests") as Iterable<unknown>)]).toThrow('Did you mean "test"?');
    await expect(research.create({ size: "smal" })).rejects.toThrow('Did you mean "small"?');
    await expect(research.create({ hops: [5] })).rejects.toThrow(
      "hops.0 of research is 5; it takes a whole number at least 1, at most 4",
    );
    await expect(research.create({ preset: "opidd" })).rejects.toThrow('Did you mean "opid"?');
  });
});

const candidates = () => ["<search>the mayor</search>", "<search>founded by</search>", "<answer>nobody</answer>"];
envContract({
  name: "research",
  env: () => research.create({ size: "tiny" }),
  candidates,
  runner: { describe, test },
});
envContract({
  name: "research as in OPID",
  env: () => research.create({ size: "tiny", preset: "opid" }),
  candidates,
  invalidReward: -0.01,
  runs: 10,
  runner: { describe, test },
});
