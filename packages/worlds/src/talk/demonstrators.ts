/** Scripted listeners: they know public facts and the answers so far, never the hidden kind or the mood. */
import { pick } from "limbeck-base/base/rng";
import type { Demonstration, Demonstrator } from "limbeck-core/env/expert";
import { readWording } from "limbeck-core/env/wording";
import { PEOPLE, talkWords, type Kind, type Person } from "./case.ts";

export const expert: Demonstrator = {
  id: "expert",
  summary: "Asks what tells most kinds apart, is kind when the tone is sharp, and concludes when one kind is left.",
  start: ({ goal }) => listener(goal, ({ soothe }, isAngry) => (isAngry ? soothe : undefined)),
};

export const blunt: Demonstrator = {
  id: "blunt",
  summary: "Asks as the expert does and never minds the tone, so that touchy people leave.",
  start: ({ goal }) => listener(goal, () => undefined),
};

export const hasty: Demonstrator = {
  id: "hasty",
  summary: "Concludes at once, with any kind that goes with the first complaint.",
  start: ({ goal }, rng) => ({
    next: ({ observation }) => {
      const person = personOf(goal);
      const { kinds, complaint } = readOpening(observation, person);
      const fitting = kinds.filter(({ topics }) => topics.includes(complaint));
      return `${person.conclude} ${pick(fitting.length === 0 ? kinds : fitting, rng)?.name ?? ""}`;
    },
  }),
};

type Manners = (person: Person, isAngry: boolean) => string | undefined;

function listener(goal: string, manners: Manners): Demonstration {
  const person = personOf(goal);
  const answers = new Map<string, boolean>();
  let kinds: readonly Kind[] = [];
  return {
    next: ({ action, observation }) => {
      if (action === undefined) {
        const read = readOpening(observation, person);
        kinds = read.kinds;
        answers.set(read.complaint, true);
      }
      const asked = action?.startsWith(`${person.ask} `) === true ? action.slice(person.ask.length + 1) : undefined;
      const answer = asked === undefined ? undefined : readAnswer(observation, person);
      if (asked !== undefined && answer !== undefined) answers.set(asked, answer);
      const left = kinds.filter(({ topics }) =>
        [...answers].every(([topic, holds]) => topics.includes(topic) === holds),
      );
      const [first = kinds[0], ...others] = left;
      if (others.length === 0) return `${person.conclude} ${first?.name ?? ""}`;
      const isAngry = talkWords().tones.angry.some((tone) => observation.startsWith(tone));
      const kindWord = action === person.soothe ? undefined : manners(person, isAngry);
      return kindWord ?? `${person.ask} ${bestQuestion(left)}`;
    },
  };
}

/** The topic that comes nearest to halving the kinds that are left. */
function bestQuestion(left: readonly Kind[]): string {
  const topics = [...new Set(left.flatMap((kind) => kind.topics))];
  const unevenness = (topic: string): number =>
    Math.abs(left.length - 2 * left.filter((kind) => kind.topics.includes(topic)).length);
  return topics.toSorted((one, other) => unevenness(one) - unevenness(other))[0] ?? "";
}

function personOf(goal: string): Person {
  const { people } = talkWords();
  const who = PEOPLE.find((id) => people[id].task === goal) ?? "patient";
  return people[who];
}

function readOpening(observation: string, person: Person): { readonly kinds: Kind[]; readonly complaint: string } {
  const kinds = [...observation.matchAll(/^([^:\n]+): ([^:\n]+)\.$/gm)]
    .filter(([, name = ""]) => person.kinds.includes(name))
    .map(([, name = "", topics = ""]) => ({ name, topics: topics.split(", ") }));
  const last = observation.split("\n").at(-1) ?? "";
  const read = person.opening.map((wording) => readWording(wording, last)?.["topic"]);
  return { kinds, complaint: read.find((topic) => topic !== undefined) ?? "" };
}

/** Yes or no, behind the tone; undefined for anything else. */
function readAnswer(observation: string, { yes, no }: Person): boolean | undefined {
  const tones = Object.values(talkWords().tones).flat();
  const tone = tones.find((one) => observation.startsWith(one)) ?? "";
  const words = observation.slice(tone.length).trim();
  const says = (wordings: readonly string[]): boolean =>
    wordings.some((wording) => readWording(wording, words) !== undefined);
  return says(yes) ? true : says(no) ? false : undefined;
}
