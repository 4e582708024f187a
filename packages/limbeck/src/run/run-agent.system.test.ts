import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { runAgent, type RunAgentOptions } from "./run-agent.ts";

const newFolder = temporaryFolders();

/** Asks until it is told to stop, and writes down that it was started. */
const asking = (more: Omit<RunAgentOptions, "command" | "policy">): RunAgentOptions => ({
  command: process.execPath,
  args: [
    "--input-type=module",
    "-e",
    `import { appendFileSync } from "node:fs";
     appendFileSync("starts", process.argv[1] + ";");
     for (let said = ""; said !== "stop"; ) {
       const asked = await fetch(process.env.OPENAI_BASE_URL + "/responses", { method: "POST", body: JSON.stringify({ input: process.argv[1] }) });
       said = (await asked.json()).output[0].content[0].text;
       if (said === "fall over") process.abort();
     }`,
    "{goal}",
  ],
  policy: createScriptedPolicy({
    script: ({ index, text }) => (text.includes("badly") ? "fall over" : index < 1 ? "go on" : "stop"),
  }),
  ...more,
});

test("each task once, one after the other, judged by a function; what is lost is not started again", async () => {
  const cwd = await newFolder();
  const { trajectories, success } = await runAgent(
    asking({
      cwd,
      tasks: [{ goal: "well" }, { goal: "badly" }, { goal: "again", id: "mine", seed: 9 }],
      judge: ({ task }) => ({ success: task.goal === "well", reward: 0.5 }),
    }),
  );
  expect(trajectories.map(({ task, success: own, ending, steps }) => [task.id, own, ending, steps.length])).toEqual([
    ["agent/1", true, "terminated", 2],
    ["agent/2", null, "failed", 1],
    ["mine", false, "terminated", 2],
  ]);
  // One of the two that were seen.
  expect(success).toBe(0.5);
  expect(await readFile(join(cwd, "starts"), "utf8")).toBe("well;badly;again;");
});

test("one goal is one task; steps may be limited", async () => {
  const { trajectories } = await runAgent(asking({ tasks: "well", maxSteps: 1 }));
  expect(trajectories.map(({ ending, steps }) => [ending, steps.length])).toEqual([["truncated", 1]]);
  expect(() => runAgent(asking({ tasks: [] }))).toThrow(/at least one task/);
});
