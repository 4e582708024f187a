/** HumanEval: Python functions to be completed, judged by the set's own tests. */
import { z } from "zod";
import { fileOf, readRows, type PublicSet } from "./set.ts";

const row = z.object({
  task_id: z.string().min(1),
  prompt: z.string().min(1),
  entry_point: z.string().min(1),
  canonical_solution: z.string(),
  test: z.string().min(1),
});
const from = "openai/human-eval, data/HumanEval.jsonl.gz";

export const humaneval: PublicSet = {
  id: "humaneval",
  meaning: "Python functions to be completed, judged by tests.",
  from,
  runsCode: true,
  load: async (folder) => {
    const names = ["HumanEval.jsonl", "HumanEval.jsonl.gz"];
    const rows = await readRows(folder, await fileOf(folder, names, from), row);
    return {
      suite: "humaneval",
      meaning: "HumanEval, all tasks.",
      grader: "python-tests",
      tasks: rows.map(({ task_id: id, prompt, entry_point: name, canonical_solution: solution, test }) => ({
        id,
        prompt: `Complete this Python function. Answer with the whole function in a block of code.\n\n${prompt}`,
        answer: { head: prompt, name, tests: `${test}\ncheck(${name})` },
        solution,
      })),
    };
  },
};
