/** State groups by similarity: up to 6,000 texts of 300 characters, in several kinds, and agreement with the definition. */
import { createRng, type Rng } from "../../packages/base/src/base/rng.ts";
import { similarity } from "../../packages/base/src/base/text-similarity/matching-blocks.ts";
import { groupStates } from "../../packages/base/src/trajectory/state-groups.ts";
import { memoryMib, type Bench } from "./harness.ts";

const LENGTH = 300;
const THRESHOLD = 0.95;
const LETTERS = "eeeeeaaaaiiiooottttnnnnsssshhrrrddllccuummwwffggyyppbbvk";

/** Sentences of a vocabulary of 1,000 words: hardly two are alike. */
function sentences(rng: Rng, count: number): string[] {
  const words = Array.from({ length: 1_000 }, () => word(rng));
  return Array.from({ length: count }, () => sentence(rng, words));
}

/** Ten versions of each of count / 10 sentences, with up to 20 typing errors. */
function nearCopies(rng: Rng, count: number): string[] {
  const bases = sentences(rng, Math.ceil(count / 10));
  return Array.from({ length: count }, () => {
    const letters = (bases[rng.int(bases.length)] as string).split("");
    for (let slip = rng.int(20); slip > 0; slip -= 1) letters.splice(rng.int(letters.length), rng.int(2), letter(rng));
    return letters.join("");
  });
}

/** What a room shows: a fixed opening and a list of things that differs. */
function rooms(rng: Rng, count: number): string[] {
  const things = Array.from({ length: 60 }, () => `${word(rng)} ${1 + rng.int(9)}`);
  return Array.from({ length: count }, () => {
    const seen = things.filter(() => rng.float() < 0.5).join(", a ");
    return `You are in the middle of a room. Looking quickly around you, you see a ${seen}`.slice(0, LENGTH);
  });
}

function sentence(rng: Rng, words: readonly string[]): string {
  let text = "";
  while (text.length < LENGTH) text += `${words[rng.int(words.length)]} `;
  return text.slice(0, LENGTH);
}

function word(rng: Rng): string {
  return Array.from({ length: 2 + rng.int(8) }, () => letter(rng)).join("");
}

function letter(rng: Rng): string {
  return LETTERS[rng.int(LETTERS.length)] as string;
}

type Kind = (rng: Rng, count: number) => string[];

function similar(name: string, make: Kind, count: number, goal: number): Bench {
  return {
    name: `state-groups/${name}-${count}`,
    summary: `Groups ${count} texts of ${LENGTH} characters (${name}) at ${THRESHOLD}.`,
    unit: "s",
    goal: { at: "most", value: goal },
    repetitions: 3,
    warmUps: 0,
    setUp: async () => {
      const texts = make(createRng(name), count);
      let groups = 0;
      return {
        measure: async () => {
          const start = performance.now();
          groups = groupStates(texts, { match: "similar", threshold: THRESHOLD }).count;
          return (performance.now() - start) / 1000;
        },
        notes: () => ({ groups, memoryMib: memoryMib() }),
      };
    },
  };
}

/** Compares with every cluster, as the definition says; the figure is how many texts are grouped differently. */
function agreement(name: string, make: Kind, count: number): Bench {
  return {
    name: `state-groups/agreement-${name}`,
    summary: `Texts of ${count} (${name}) that plain first-fit groups differently.`,
    unit: "texts",
    goal: { at: "most", value: 0 },
    repetitions: 1,
    warmUps: 0,
    setUp: async () => ({
      measure: async () => {
        const texts = make(createRng(`${name} agreement`), count);
        const { of } = groupStates(texts, { match: "similar", threshold: THRESHOLD });
        const firsts: string[] = [];
        return texts.filter((text, at) => {
          const known = firsts.findIndex((first) => similarity(text, first) >= THRESHOLD);
          return (known >= 0 ? known : firsts.push(text) - 1) !== of[at];
        }).length;
      },
    }),
  };
}

export const stateGroupBenches: readonly Bench[] = [
  similar("sentences", sentences, 2_000, 1),
  similar("sentences", sentences, 6_000, 5),
  similar("near-copies", nearCopies, 6_000, 5),
  similar("rooms", rooms, 3_000, 5),
  agreement("near-copies", nearCopies, 2_000),
  agreement("rooms", rooms, 500),
];
