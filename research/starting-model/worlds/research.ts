/** Research: who knows looks up one missing fact after the other; a novice answers too early, or with a wrong name. */
import { demonstrate, readInformation } from "../../../packages/worlds/src/research/demonstrators.ts";
import { guess, type StartingWorld } from "./starting-world.ts";

const OPTIONS = { hops: [1, 2], topk: 2 } as const;

/** Chances that are tuned so that about three unadvised questions in ten are answered rightly. */
const CHANCES = { searchesWell: 0.75, goesOn: 0.5, answersRightly: 0.45 };

export const research: StartingWorld = {
  name: "research",
  options: OPTIONS,
  chances: CHANCES,
  // Lands of other seeds than the usual 1: no name of it is ever met.
  place: (shard) => ({ options: { ...OPTIONS, seed: 1_000 + shard }, offset: 0, count: 500 }),
  shards: 40,
  updates: 3_000,
  lessonsPerTask: 3,
  mostTokens: 700,
  answerTokens: 40,
  freeText: true,
  start: ({ goal }) => {
    const expert = demonstrate(goal);
    const names = new Set<string>();
    return {
      see: (seen) => {
        const best = expert.next(seen);
        for (const { subject, objects } of readInformation(seen.observation)) {
          for (const name of [subject, ...objects]) names.add(name);
        }
        const answers = [...names].map((name) => `<answer>${name}</answer>`);
        const literal = `<search>${goal.replace(/\?$/, "")}</search>`;
        if (seen.action === undefined) return guess(best, CHANCES.searchesWell, [literal]);
        if (best.startsWith("<answer>")) return guess(best, CHANCES.answersRightly, answers);
        return guess(best, CHANCES.goesOn, [...answers, literal]);
      },
    };
  },
  essential: (actions) => actions,
  otherWords: (command) => {
    const [, words] = /^<search>(.*)<\/search>$/.exec(command) ?? [];
    if (words !== undefined) return [`search for ${words}`, `look up ${words}`, `query the archive for ${words}`];
    const [, answer = command] = /^<answer>(.*)<\/answer>$/.exec(command) ?? [];
    return [`answer ${answer}`, `say that it is ${answer}`, `the solution is ${answer}`];
  },
};
