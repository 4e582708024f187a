/** Draft: notes that are scored after each revision, and that must be sent in time. */
import { option } from "limbeck-base/base/option";
import { randomChoice } from "limbeck-core/env/random-choice";
import { defineWorld } from "limbeck-core/env/world";
import { createDraft, DRAFT_SUMMARY } from "./draft.ts";
import { expert, restless } from "./demonstrators.ts";
import { levels, type NoteLevelId } from "./note.ts";

export const draft = defineWorld({
  id: "draft",
  info: { title: "Draft", meaning: DRAFT_SUMMARY },
  options: {
    seed: option.number(1, "seed of the notes", { whole: true }),
    level: option.choice("small", Object.keys(levels) as NoteLevelId[], "lines of a note: 3, 4 or 5"),
  },
  parts: {
    quality: "how much the note is as its reader likes it, from 0 to 1",
    raised: "1 where this round beat the best score before it",
    idle: "1 where this round did not, which costs 0.05 at the end",
  },
  create: createDraft,
  demonstrators: { expert, restless, random: randomChoice },
});
