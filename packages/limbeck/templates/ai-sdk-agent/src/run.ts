/** npm start: the agent does twelve tasks, and the world counts. */
import { runAgent } from "./agent.ts";
import { createStubModel } from "./stub-model.ts";
import world from "./world.ts";

// Your own: import { openai } from "@ai-sdk/openai"; const model = openai("…");
const model = createStubModel();
const env = await world.create();
let done = 0;
for await (const task of env.tasks("valid", { count: 12 })) {
  const success = await runAgent(model, env, task);
  if (success) done += 1;
  process.stdout.write(`${success ? "done  " : "failed"} ${task.goal}\n`);
}
process.stdout.write(`${done} of 12 tasks were done.\n`);
