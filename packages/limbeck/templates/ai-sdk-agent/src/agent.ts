/**
 * The agent, on the AI SDK: a model, two tools, a loop. Its tools act in an episode of the world, which then says whether
 * the task was done.
 *
 *     npm start     # twelve tasks with the stub of this folder, which needs no key
 */
import { generateText, stepCountIs, tool, type LanguageModel } from "ai";
import type { Env, Episode, Task, JsonObject } from "limbeck";
import { callAction } from "limbeck/env";
import { descriptions, inputs } from "./desk.ts";

/** The tools of the agent in an episode. */
function toolsIn(episode: Episode) {
  const call = async (name: string, args: JsonObject): Promise<string> => {
    if (episode.ending !== undefined) return "The task is over.";
    const { observation, valid, info } = await episode.step(callAction(name, args));
    return valid ? observation : `Refused: ${JSON.stringify(info?.["refused"] ?? "not understood")}`;
  };
  return {
    lookup: tool({
      description: descriptions.lookup,
      inputSchema: inputs.lookup,
      execute: (input) => call("lookup", input),
    }),
    refund: tool({
      description: descriptions.refund,
      inputSchema: inputs.refund,
      execute: (input) => call("refund", input),
    }),
  };
}

/** Lets the agent do one task; true where it did. */
export async function runAgent(model: LanguageModel, env: Env, task: Task): Promise<boolean> {
  const episode = await env.open(task);
  try {
    await generateText({
      model,
      system: "You are a refund desk. Use the tools; do not guess.",
      prompt: episode.observation,
      tools: toolsIn(episode),
      stopWhen: stepCountIs(env.maxSteps),
    });
    return episode.success === true;
  } finally {
    await episode.close();
  }
}
