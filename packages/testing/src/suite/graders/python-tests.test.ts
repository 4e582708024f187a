import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";
import { codeIn } from "./python-tests.ts";

const answer = {
  head: 'import math\n\ndef area(r):\n    """Of a circle."""\n',
  name: "area",
  tests: "assert area(1) > 3",
};

async function programOf(said: string): Promise<string> {
  const programs: string[] = [];
  const runPython = (program: string) => Promise.resolve({ ok: programs.push(program) === 1, output: "" });
  expect(await scoreOf("python-tests", finished([said], answer), { runPython })).toBe(1);
  return programs.join();
}

test("a body goes on from the head, a whole function stands behind what the head imports", async () => {
  expect(await programOf("    return math.pi * r * r")).toBe(
    `${answer.head}    return math.pi * r * r\n\n${answer.tests}\n`,
  );
  const own = "def area(r):\n    return 3.14 * r * r\n";
  expect(await programOf(`Here:\n\`\`\`python\n${own}\`\`\``)).toBe(`import math\n\n\n${own}\n\n${answer.tests}\n`);
});

test("the last block of code counts", () => {
  expect(codeIn("```py\na\n``` or ```\nb\n```")).toBe("b\n");
  expect(codeIn("  c")).toBe("  c");
});

test("without leave nothing is run, and nothing is scored", async () => {
  expect(await scoreOf("python-tests", finished(["x"], answer))).toContain("not allowed");
  expect(await scoreOf("python-tests", finished(["x"], "assert"))).toContain("has to be {tests}");
});
