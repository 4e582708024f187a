/** GSM8K: sums in words. Each line of test.jsonl is {question, answer}, and the answer ends with "#### " and the number. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { numberIn } from "../graders/number.ts";
import { fileOf, readRows, type PublicSet } from "./set.ts";

const row = z.object({ question: z.string().min(1), answer: z.string().min(1) });
const from = "openai/grade-school-math, grade_school_math/data/test.jsonl";

export const gsm8k: PublicSet = {
  id: "gsm8k",
  meaning: "Grade-school sums in words, answered with a number.",
  from,
  load: async (folder) => {
    const name = await fileOf(folder, ["test.jsonl"], from);
    const rows = await readRows(folder, name, row);
    return {
      suite: "gsm8k",
      meaning: "GSM8K, the test split.",
      grader: "number",
      tasks: rows.map(({ question, answer }, at) => {
        const number = numberIn(answer, "####");
        if (number === undefined)
          throw new EngineError("bad-row", `"${name}", line ${at + 1}: the answer has no number.`);
        return {
          id: `gsm8k/${at + 1}`,
          prompt: `${question}\n\nThink step by step, and end with "#### " and the number.`,
          answer: number,
          solution: answer,
          buckets: [`${Math.min(8, stepsOf(answer))} steps`],
        };
      }),
    };
  },
};

/** Lines of the worked answer. */
function stepsOf(answer: string): number {
  return answer.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("####")).length;
}
