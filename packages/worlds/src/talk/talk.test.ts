import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { demonstrated, shareWon } from "../../../../test/support/demonstrated.ts";
import { createRng, pick } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import { PEOPLE, talkWords, type Case } from "./case.ts";
import { createTalk, drawnCases, openCase } from "./talk.ts";
import { talk } from "./index.ts";

for (const who of PEOPLE) {
  envContract({
    name: `talk, ${who}`,
    env: createTalk({ who, level: "small" }),
    runner: { describe, test },
    runs: tries(2, 6),
  });
}

const task: Task = {
  id: "t",
  env: "talk",
  seed: 1,
  goal: "A patient is here. Find out what it is and name it.",
  split: "train",
};
const kinds = [
  { name: "grey fever", topics: ["cough", "chills"] },
  { name: "salt lung", topics: ["cough", "rash"] },
  { name: "river pox", topics: ["rash", "thirst"] },
];
const patient = (isTouchy: boolean): Case => ({
  who: "patient",
  topics: ["cough", "chills", "rash", "thirst"],
  kinds,
  complaint: "cough",
  kind: kinds[1]!,
  isTouchy,
});

/** Understood, and in time. */
const fine = { refused: 0, late: 0 };
const partsOf = ({ info }: { readonly info?: { readonly [name: string]: unknown } }): unknown => info?.["parts"];

test("mood, new answers and repeats as worked out by hand", async () => {
  const episode = openCase(task, patient(true));
  expect(episode.observation).toContain(
    "grey fever: cough, chills.\nsalt lung: cough, rash.\nriver pox: rash, thirst.",
  );
  // From 2 of 4 a touchy one falls by 1 with each question.
  expect(partsOf(await episode.step("ask about rash"))).toEqual({
    mood: 0.25,
    fresh: 1,
    repeat: 0,
    right: 0,
    angry: 1,
    ...fine,
  });
  expect(partsOf(await episode.step("reassure"))).toEqual({
    mood: 0.5,
    fresh: 0,
    repeat: 0,
    right: 0,
    angry: 0,
    ...fine,
  });
  // Twice in a row a kind word costs what it gave.
  expect(partsOf(await episode.step("reassure"))).toEqual({
    mood: 0.25,
    fresh: 0,
    repeat: 0,
    right: 0,
    angry: 1,
    ...fine,
  });
  const end = await episode.step("diagnose salt lung");
  expect(end).toMatchObject({ ending: "terminated", success: true, reward: { value: 1 } });
  expect(partsOf(end)).toEqual({ mood: 0.25, fresh: 0, repeat: 0, right: 1, angry: 1, ...fine });
});

test("a question that was answered costs mood and reward; the first complaint is an answer", async () => {
  const episode = openCase(task, patient(false));
  await episode.step("reassure");
  expect(partsOf(await episode.step("ask about rash"))).toEqual({
    mood: 0.75,
    fresh: 1,
    repeat: 0,
    right: 0,
    angry: 0,
    ...fine,
  });
  expect(partsOf(await episode.step("ask about cough"))).toEqual({
    mood: 0.25,
    fresh: 0,
    repeat: 1,
    right: 0,
    angry: 1,
    ...fine,
  });
  const fork = await episode.fork();
  expect(await episode.step("diagnose salt lung")).toMatchObject({ success: true, reward: { value: 0.9 } });
  // A second one: the mood is gone, and so is the patient.
  expect(await fork.step("ask about rash")).toMatchObject({
    ending: "terminated",
    success: false,
    reward: { value: 0 },
    observation: "I will see another doctor.",
  });
});

test("what nobody understands is refused, and the turn after which there is none is late", async () => {
  const episode = openCase(task, patient(false));
  const all: unknown[] = [];
  while (episode.ending === undefined) all.push(partsOf(await episode.step("hum")));
  expect(episode.ending).toBe("truncated");
  expect(all[0]).toEqual({ mood: 0.5, fresh: 0, repeat: 0, right: 0, angry: 0, refused: 1, late: 0 });
  expect(all.at(-1)).toEqual({ mood: 0.5, fresh: 0, repeat: 0, right: 0, angry: 0, refused: 1, late: 1 });
});

test("one who is at the end of patience leaves without an answer", async () => {
  const episode = openCase(task, patient(true));
  await episode.step("ask about rash");
  const last = await episode.step("ask about thirst");
  expect(last).toMatchObject({ ending: "terminated", success: false, observation: "I will see another doctor." });
  expect(partsOf(last)).toEqual({ mood: 0, fresh: 0, repeat: 0, right: 0, angry: 1, ...fine });
});

test("a wrong conclusion ends it and does not say the right one", async () => {
  const episode = openCase(task, patient(false));
  expect([episode.irreversible?.("diagnose river pox"), episode.irreversible?.("reassure")]).toEqual([true, false]);
  expect(await episode.step("diagnose moth fever")).toMatchObject({ valid: false });
  const end = await episode.step("diagnose river pox");
  expect(end).toMatchObject({ ending: "terminated", success: false, observation: "The remedy does nothing." });
});

test.each(PEOPLE)("%s: nothing that is seen tells the hidden kind, but for the answers", async (who) => {
  const env = createTalk({ who });
  let compared = 0;
  for await (const one of env.tasks("valid", { count: 60 })) {
    const own = drawnCases(1, `${who} medium`).situationOf(one);
    const rng = createRng(one.id);
    const { ask, soothe } = talkWords().people[who];
    const all = [...own.topics.map((topic) => `${ask} ${topic}`), soothe];
    const script = Array.from({ length: 4 }, () => pick(all, rng) ?? "");
    const truth = await texts(one, own, script);
    for (const kind of own.kinds) {
      const told = [own.complaint, ...own.topics.filter((topic) => script.includes(`${ask} ${topic}`))];
      const agrees = told.every((topic) => kind.topics.includes(topic) === own.kind.topics.includes(topic));
      if (kind === own.kind || !agrees) continue;
      compared += 1;
      expect(await texts(one, { ...own, kind }, script)).toEqual(truth);
    }
  }
  expect(compared).toBeGreaterThan(10);
});

test.each(PEOPLE)("%s: no name of a kind is ever said after the opening, nor stands in a task", async (who) => {
  const env = createTalk({ who });
  const names = talkWords().people[who].kinds;
  for (const { task: one, results } of await demonstrated(env, talk.demonstrators?.["random"], {
    count: tries(20, 60),
  })) {
    const seen = [...results.map(({ observation }) => observation), JSON.stringify(one)].join("\n").toLowerCase();
    expect(names.filter((name) => new RegExp(`\\b${name}\\b`).test(seen))).toEqual([]);
    expect(JSON.stringify(results.map(({ info }) => Object.keys(info?.["parts"] ?? {})))).toBe(
      JSON.stringify(results.map(() => ["mood", "fresh", "repeat", "right", "angry", "refused", "late"])),
    );
  }
});

test("the same answer is given in many wordings", async () => {
  const replies = new Set<string>();
  for (let at = 0; at < 60; at += 1) {
    const episode = openCase({ ...task, id: `t${at}` }, patient(false));
    replies.add((await episode.step("ask about rash")).observation);
  }
  // Four answers in five tones of a mood of 2.
  expect(replies.size).toBeGreaterThan(12);
});

test("yes and no, and the three tones, are never the same words", () => {
  const { people, tones } = talkWords();
  for (const { yes, no } of Object.values(people)) expect(yes.filter((wording) => no.includes(wording))).toEqual([]);
  const all = Object.values(tones).flat();
  expect(new Set(all).size).toBe(all.length);
});

test.each(PEOPLE.flatMap((who) => (["small", "medium", "large"] as const).map((level) => [who, level] as const)))(
  "%s, %s: the expert is at 1; who minds no tone and who guesses are below",
  async (who, level) => {
    const env = createTalk({ who, level });
    const { expert, blunt, hasty, random } = talk.demonstrators ?? {};
    const best = await demonstrated(env, expert, { count: tries(40, 100) });
    expect([shareWon(best), best.every(({ reward }) => reward === 1)]).toEqual([1, true]);
    for (const [other, most, count] of [
      [blunt, 0.9, 100],
      [hasty, 0.55, tries(40, 100)],
      [random, 0.3, tries(40, 100)],
    ] as const) {
      expect(shareWon(await demonstrated(env, other, { count }))).toBeLessThan(most);
    }
  },
);

async function texts(one: Task, own: Case, script: readonly string[]): Promise<string[]> {
  const episode = openCase(one, own);
  const seen = [episode.observation];
  for (const action of script) {
    if (episode.ending === undefined) seen.push((await episode.step(action)).observation);
  }
  return seen;
}
