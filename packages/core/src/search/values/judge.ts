/** A judge as value: a text model says how near an episode is to its goal. */
import { option } from "limbeck-base/base/option";
import { readReply } from "../../reward/judge-reply.ts";
import { defineValue, episodePrompt } from "./value.ts";

export const judge = defineValue({
  info: {
    title: "Judge",
    paper: "LLM as a judge of states, as in Tree of Thoughts and its followers",
    confidence: "practice",
    formula: ["V(node) = mean over s = 1 .. samples of score_s / 10"],
    meaning: "Asks a text model how likely the episode so far is to reach its goal.",
    departures: ["An answer that cannot be read is left out; without any there is no value."],
  },
  options: {
    samples: option.count(1, "times the judge is asked"),
    answerTokens: option.count(256, "most tokens of its answer", 8),
  },
  create: ({ samples, answerTokens }) => ({
    estimate: (nodes, scope) =>
      Promise.all(
        nodes.map(async (node) => {
          const prompt = episodePrompt(scope.task, node, {
            question: "How likely is the agent to reach the goal from here?",
            answer: '{"score": <number from 0 (hopeless) to 10 (done)>}',
          });
          const scores: number[] = [];
          for (let sample = 0; sample < samples; sample += 1) {
            const reply = await scope.ask(prompt, { answerTokens, sample });
            const read = reply === undefined ? "" : readReply(reply, ["score"], { least: 0, most: 10 });
            if (typeof read !== "string") scores.push(read.get("score") ?? 0);
          }
          return scores.length === 0 ? undefined : scores.reduce((sum, value) => sum + value, 0) / scores.length;
        }),
      ),
  }),
});
