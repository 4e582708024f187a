/** Talk: dialogues with people whose case is hidden. */
import { option } from "limbeck-base/base/option";
import { randomChoice } from "limbeck-core/env/random-choice";
import { defineWorld } from "limbeck-core/env/world";
import { levels, PEOPLE, type LevelId } from "./case.ts";
import { blunt, expert, hasty } from "./demonstrators.ts";
import { createTalk, TALK_SUMMARY } from "./talk.ts";

export const talk = defineWorld({
  id: "talk",
  info: { title: "Talk", meaning: TALK_SUMMARY },
  options: {
    seed: option.number(1, "seed of the cases", { whole: true }),
    who: option.choice("patient", PEOPLE, "who is talked to"),
    level: option.choice(
      "small",
      Object.keys(levels) as LevelId[],
      "kinds of cases and topics: 4 and 4, 6 and 6, or 9 and 8",
    ),
  },
  parts: {
    mood: "the hidden mood after this turn, from 0 (leaves) to 1",
    fresh: "1 where this turn brought an answer that was not known",
    repeat: "1 where it asked what was known",
    right: "1 where it concluded rightly",
    angry: "1 where the person is angry after this turn, or leaves",
    refused: "1 where nobody understood it",
    late: "1 where the turns ran out with it",
  },
  create: createTalk,
  demonstrators: { expert, blunt, hasty, random: randomChoice },
});
