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

/** What a judge reads of a conversation and a reply. */
type Read = (heard: Heard, kind: string) => string;

const namesOf = ({ one }: Heard): string[] => one.kinds.map(({ name }) => name);

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
      "The reviewer is the one of the world talk: a hidden kind, and a program. The profile is worked out by rule unless option profile says otherwise, and a linear model over words judges the replies.",
    ],
  },
  options: {
    dialogues: option.count(1200, "replies that the judgement is learnt from"),
    heldOut: option.count(300, "reviewers that are answered"),
    questions: option.number(2, "questions before the reply", { least: 0, most: 3, whole: true }),
    epochs: option.count(5, "times they are seen"),
    profile: option.choice(
      "rule",
      ["rule", "learnt", "lot"],
      "who infers the kinds: a rule, a reader that learns from half of the replies, or as many as the reader finds, by lot (the control)",
    ),
  },
  run: async ({ dialogues, heldOut, questions, epochs, profile }, seed) => {
    const rng = createRng(`rebuttal ${seed}`);
    const { situationOf, tasks } = drawnCases(seed, "reviewer small");
    const hear = (task: Task): Heard => {
      const one = situationOf(task);
      // A kind word between the questions keeps also people who are touchy.
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
    const judgeOf = (read: Read, some = replies): WordJudge => {
      const judge = createWordJudge({ seed });
      judge.learn(
        some.map((reply) => ({ text: read(reply.heard, reply.kind), label: reply.accepted })),
        epochs,
      );
      return judge;
    };
    const share = async (judge: WordJudge, read: Read): Promise<number> => {
      const won: number[] = [];
      for (const heard of answering) won.push(await accepted(heard, chosenBy(judge, read, heard)));
      return mean(won);
    };
    const half = Math.ceil(replies.length / 2);
    const learnt = profile === "rule" ? undefined : likelyBy(judgeOf(topicsAndAnswers, replies.slice(0, half)));
    const drawn = (heard: Heard): readonly string[] =>
      shuffle(namesOf(heard), createRng(`lot ${seed} ${heard.task.id}`)).slice(0, learnt?.(heard).length);
    const infer = profile === "lot" ? drawn : (learnt ?? fitting);
    const withProfile: Read = (heard, kind) => profileText(infer(heard), kind);
    // What the reader has learnt from says nothing of how well it reads others.
    const knowing = judgeOf(withProfile, learnt === undefined ? replies : replies.slice(half));
    const plain = judgeOf(withoutProfile);
    const [withType, withoutType] = [await share(knowing, withProfile), await share(plain, withoutProfile)];
    const direct = await share(judgeOf(topicsAndAnswers), topicsAndAnswers);
    const named = mean(answering.map((heard) => Number(infer(heard).includes(heard.one.kind.name))));
    const tried: (readonly [number, number])[] = [];
    for (const heard of answering) {
      const kind = pick(heard.one.kinds, rng)?.name as string;
      tried.push([knowing.chance(withProfile(heard, kind)), await accepted(heard, kind)]);
    }
    const gain = withType - withoutType;
    const metrics = { withType, withoutType, gain, correlation: correlation(tried), direct, named };
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

function chosenBy(judge: WordJudge, read: Read, heard: Heard): string {
  const names = namesOf(heard);
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
  return `${table}\n${toldWords(answers)}\n${oneWord(kind)}`;
}

function toldWords(answers: Heard["answers"]): string {
  return answers.map(([topic, holds]) => `${holds ? "yes" : "no"}${oneWord(topic)}`).join(" ");
}

/** What a kind is made of, and the answers: whether they fit can be learnt from it. */
function topicsAndAnswers({ answers, one }: Heard, kind: string): string {
  const topics = one.kinds.find(({ name }) => name === kind)?.topics ?? [];
  return `${topics.map(oneWord).join(" ")}\n${toldWords(answers)}`;
}

/** The kinds that agree with every answer. */
function fitting({ one, answers }: Heard): string[] {
  return one.kinds
    .filter(({ topics }) => answers.every(([topic, holds]) => topics.includes(topic) === holds))
    .map(({ name }) => name);
}

/** The kinds that a reader finds at least half as likely as the likeliest. */
function likelyBy(reader: WordJudge): (heard: Heard) => readonly string[] {
  return (heard) => {
    const chances = namesOf(heard).map((name) => reader.chance(topicsAndAnswers(heard, name)));
    const least = Math.max(...chances) / 2;
    return namesOf(heard).filter((_, at) => (chances[at] as number) >= least);
  };
}

/** Profile and strategy before the reply. */
function profileText(kinds: readonly string[], kind: string): string {
  const names = kinds.map(oneWord);
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
