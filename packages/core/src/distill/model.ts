/** Another model in this process, with the same tokenizer: usually a larger one. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { TaughtModel, TeacherKind } from "./teacher.ts";

export const model: TeacherKind = {
  info: {
    title: "Another model",
    meaning:
      "The model of another folder (teacherSource) scores every response; it must cut text into the same tokens.",
  },
  options: { source: option.text(null, "the folder of a model with the same tokenizer") },
  create: async (student, { source, threads }) => {
    const opened = await openModel(source ?? "", threads === undefined ? {} : { threads });
    try {
      checkSame(student, opened, source ?? "");
    } catch (error) {
      await opened.close();
      throw error;
    }
    return {
      scorer: opened,
      policy: opened,
      learned: () => undefined,
      state: undefined,
      close: () => opened.close(),
    };
  },
};

/** Models may be padded to other sizes; what counts is that every token means the same. */
function checkSame(student: TaughtModel, teacher: LocalModel, folder: string): void {
  const [own, other] = [student.tokenizer, teacher.tokenizer];
  const sized = teacher.config.vocabularySize >= (own?.size ?? student.config.vocabularySize);
  const vocabulary = (from: typeof own): string => JSON.stringify(from?.files.tokenizer["model"]);
  if (sized && (own === undefined || other === undefined || vocabulary(own) === vocabulary(other))) return;
  throw new EngineError(
    "other-tokenizer",
    `The teacher in "${folder}" cuts text into other tokens than the policy. Use the teacher "aligned", which compares them by their text.`,
  );
}
