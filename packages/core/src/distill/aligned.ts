/** Another model in this process that cuts text into other tokens. */
import { option } from "limbeck-base/base/option";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import { alignedScorer, textsByModel } from "./aligned-scorer.ts";
import { ownTokenizer } from "./own-tokenizer.ts";
import type { TeacherKind } from "./teacher.ts";

export const aligned: TeacherKind = {
  info: {
    title: "A model with another tokenizer",
    meaning:
      "The model of another folder (teacherSource) reads the same text in tokens of its own; its log-probability of the smallest common spans is shared out by the length of the policy's tokens. Sampled tokens only.",
  },
  options: { source: option.text(null, "the folder of a model with any tokenizer") },
  create: async (student, { source, threads }) => {
    const tokenizer = ownTokenizer(student, "aligned");
    const opened = await openModel(source ?? "", threads === undefined ? {} : { threads });
    try {
      const scorer = alignedScorer({ tokenizer, score: textsByModel(opened, requireTokenizer(opened)) });
      return { scorer, learned: () => undefined, state: undefined, close: () => opened.close() };
    } catch (error) {
      await opened.close();
      throw error;
    }
  },
};
