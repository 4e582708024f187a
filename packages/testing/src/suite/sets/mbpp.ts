/** MBPP: small Python programs from a sentence and three tests; tasks 11 to 510 are its test split. */
import { z } from "zod";
import { fileOf, readRows, type PublicSet } from "./set.ts";

const row = z.object({
  task_id: z.int(),
  text: z.string().min(1),
  code: z.string().min(1),
  test_setup_code: z.string().default(""),
  test_list: z.array(z.string()).min(1),
});
const from = "google-research/google-research, mbpp/mbpp.jsonl";
const [FIRST, LAST] = [11, 510];

export const mbpp: PublicSet = {
  id: "mbpp",
  meaning: "Small Python programs from a sentence, judged by tests.",
  from,
  runsCode: true,
  load: async (folder) => {
    const rows = await readRows(folder, await fileOf(folder, ["mbpp.jsonl"], from), row);
    return {
      suite: "mbpp",
      meaning: "MBPP, the test split.",
      grader: "python-tests",
      tasks: rows
        .filter(({ task_id: id }) => id >= FIRST && id <= LAST)
        .map(({ task_id: id, text, code, test_setup_code: setup, test_list: tests }) => ({
          id: `mbpp/${id}`,
          prompt: `${text}\n\nAnswer with Python in a block of code. It has to pass these tests:\n${tests.join("\n")}`,
          answer: { tests: [setup, ...tests].join("\n") },
          solution: code,
        })),
    };
  },
};
