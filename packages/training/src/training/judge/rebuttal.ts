/** A reply that is chosen by the writer's own judgement of it, after it has inferred whom it answers (RebuttalAgent). */
import { createRng, pick, shuffle } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { talkWords, type Case } from "limbeck-worlds/talk/case";
import { drawnCases, openCase } from "limbeck-worlds/talk/talk";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { defineJudging } from "./judging.ts";
import { createWordJudge, type WordJudge } from "./word-judge.ts";

/** A conversation up to the reply. */
interface Heard {
  readonly task: Task;
  readonly one: Case;
  /** Topics that were asked about, and the answers. */
  readonly answers: readonly (readonly [string, boolean])[];
  readonly questions: readonly string[];
}

export const rebuttal = defineJudging({
  info: {
    title: "RebuttalAgent",
    meaning:
      "Profile, strategy, response: the kinds of reviewer that fit the answers are written down, and of all replies the one that the writer itself finds likeliest to be accepted is given.",
    paper: "RebuttalAgent: strategic persuasion in academic rebuttal via theory of mind; Rebuttal-RM",
    confidence: "inferred",
    source: "Zhitao-He/RebuttalAgent @ 70d7fb5e; train/reward_function.py: compute_score_single",
    formula: [
      "profile = kinds that agree with every answer;   self-reward(reply) = chance of acceptance, learnt from earlier replies",
      "reply = argmax of self-reward;   gain = acceptance with the profile - without it;   r = corr(self-reward, acceptance)",
    ],
    departures: [
      "The source trains with 0.1 format + 0.3 reasoning + 0.3 response + 0.3 diversity; here the best of several replies is given, and nothing is trained on it.",
      "The reviewer is the one of the world talk: a hidden kind, and a program. The profile is worked out by rule, and a linear model over words judges the replies.",
    ],
  },
  options: {
    dialogues: option.count(1200, "replies that the judgement is learnt from"),
    heldOut: option.count(300, "reviewers that are answered"),
    questions: option.number(2, "questions before the reply", { least: 0, most: 3, whole: true }),
    epochs: option.count(5, "times they are seen"),
  },
  run: async ({ dialogues, heldOut, questions, epochs }, seed) => {
    const rng = createRng(`rebuttal ${seed}`);
    const { situationOf, tasks } = drawnCases(seed, "reviewer small");
    const hear = (task: Task): Heard => {
      const one = situationOf(task);
      // A kind word between the questions keeps also those who are touchy.
      const asked = shuffle(
        one.topics.filter((topic) => topic !== one.complaint),
        rng,
      ).slice(0, questions);
      const answers = [one.complaint, ...asked].map((topic) => [topic, one.kind.topics.includes(topic)] as const);
      return { task, one, answers, questions: asked };
    };
    const [learning, answering] = [[], []] as [Heard[], Heard[]];
    for await (const task of tasks("train", { count: dialogues })) learning.push(hear(task));
    for await (const task of tasks("test", { count: heldOut })) answering.push(hear(task));
    const replies: { readonly heard: Heard; readonly kind: string; readonly accepted: number }[] = [];
    for (const heard of learning) {
      const kind = pick(heard.one.kinds, rng)?.name as string;
      replies.push({ heard, kind, accepted: await accepted(heard, kind) });
    }
    const judgeOf = (read: (heard: Heard, kind: string) => string): WordJudge => {
      const judge = createWordJudge({ seed });
      judge.learn(
        replies.map((reply) => ({ text: read(reply.heard, reply.kind), label: reply.accepted })),
        epochs,
      );
      return judge;
    };
    const share = async (judge: WordJudge, read: (heard: Heard, kind: string) => string): Promise<number> => {
      const won: number[] = [];
      for (const heard of answering) won.push(await accepted(heard, chosenBy(judge, read, heard)));
      return mean(won);
    };
    const [knowing, plain] = [judgeOf(withProfile), judgeOf(withoutProfile)];
    const [withType, withoutType] = [await share(knowing, withProfile), await share(plain, withoutProfile)];
    const tried: (readonly [number, number])[] = [];
    for (const heard of answering) {
      const kind = pick(heard.one.kinds, rng)?.name as string;
      tried.push([knowing.chance(withProfile(heard, kind)), await accepted(heard, kind)]);
    }
    const metrics = { withType, withoutType, gain: withType - withoutType, correlation: correlation(tried) };
    return { metrics, kept: { judge: knowing, reads: "texts" } };
  },
});

/** What the hidden checker says: the dialogue is played in the world, question by question. */
async function accepted({ task, one, questions }: Heard, kind: string): Promise<number> {
  const episode = openCase(task, one);
  const { ask, soothe, conclude } = talkWords().people.reviewer;
  for (const topic of questions) {
    await episode.step(`${ask} ${topic}`);
    if (episode.ending === undefined) await episode.step(soothe);
  }
  if (episode.ending === undefined) await episode.step(`${conclude} ${kind}`);
  return Number(episode.success === true);
}

function chosenBy(judge: WordJudge, read: (heard: Heard, kind: string) => string, heard: Heard): string {
  const names = heard.one.kinds.map(({ name }) => name);
  const scores = names.map((name) => judge.chance(read(heard, name)));
  return names[scores.indexOf(Math.max(...scores))] as string;
}

/** Names of kinds as one word, so that no word of one stands for another. */
function oneWord(name: string): string {
  return name.replaceAll(/[^a-z]/gi, "");
}

/** The answers, in the words of the world. */
function withoutProfile({ answers, one }: Heard, kind: string): string {
  const table = one.kinds.map(({ name, topics }) => `${oneWord(name)} ${topics.map(oneWord).join(" ")}`).join(" ; ");
  const told = answers.map(([topic, holds]) => `${holds ? "yes" : "no"}${oneWord(topic)}`).join(" ");
  return `${table}\n${told}\n${oneWord(kind)}`;
}

/** The same, with the kinds that fit before the reply. */
function withProfile(heard: Heard, kind: string): string {
  const fitting = heard.one.kinds.filter(({ topics }) =>
    heard.answers.every(([topic, holds]) => topics.includes(topic) === holds),
  );
  const names = fitting.map(({ name }) => oneWord(name));
  const strategy = names.length === 1 ? "sure" : names.length === 2 ? "likely" : "open";
  return `${strategy} ${names.join(" ")}\n${oneWord(kind)}`;
}

export function correlation(pairs: readonly (readonly [number, number])[]): number {
  const [left, right] = [mean(pairs.map(([one]) => one)), mean(pairs.map(([, other]) => other))];
  const sums = pairs.reduce(
    ([both, first, second], [one, other]) =>
      [both + (one - left) * (other - right), first + (one - left) ** 2, second + (other - right) ** 2] as const,
    [0, 0, 0] as readonly [number, number, number],
  );
  return sums[0] / Math.sqrt(sums[1] * sums[2]);
}
