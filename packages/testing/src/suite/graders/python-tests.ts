/** Code that is an answer: the tests of the task run behind it, in a child process with limits. */
import { isObject } from "limbeck-base/base/json";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";

const FENCED = /```(?:python3?|py)?[ \t]*\r?\n([\s\S]*?)```/gi;

export const pythonTests = defineGrader({
  id: "python-tests",
  meaning:
    "Whether Python tests pass: `answer` is {tests}, with {head} where code goes on from there, and {name} of what it defines.",
  options: {},
  check: (answer) =>
    isObject(answer) && typeof answer["tests"] === "string" ? undefined : "`answer` has to be {tests}, a Python text",
  grade: async ({ trajectory, answer }, _options, { runPython }) => {
    if (runPython === undefined) return { score: unscored("running code was not allowed") };
    const { head, name, tests } = answer as { readonly head?: string; readonly name?: string; readonly tests: string };
    const code = codeIn(finalText(trajectory));
    const { ok, output } = await runPython(`${whole(code, head, name)}\n\n${tests}\n`);
    return { score: scored(Number(ok)), why: output };
  },
});

/** The last block of code, or all of it. */
export function codeIn(text: string): string {
  return [...text.matchAll(FENCED)].at(-1)?.[1] ?? text;
}

/** What goes on from the head stands behind it; what defines the function anew needs what comes before its definition. */
function whole(code: string, head = "", name = ""): string {
  const own = name === "" ? -1 : code.search(new RegExp(`^def ${name.replaceAll(/\W/g, "")}\\b`, "m"));
  if (own < 0) return head + code;
  const at = head.lastIndexOf(`def ${name}`);
  return `${at < 0 ? head : head.slice(0, at)}\n${code}`;
}
