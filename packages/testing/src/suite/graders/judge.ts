/** A model that judges. It may look at the world itself before it does, so that it need not believe the transcript. */
import { isObject, parseJson, type JsonObject } from "limbeck-base/base/json";
import { errorData, isAbort } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { judgePrompt, quoteLine } from "limbeck-core/reward/judge-prompt";
import { readReply } from "limbeck-core/reward/judge-reply";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { defineGrader } from "../grader.ts";

const NAME = "success";
const LONGEST_SEEN = 4_000;

export const judge = defineGrader({
  id: "judge",
  meaning: "What a model says of the work, after queries to the world as it was left.",
  options: {
    question: option.text("Was the task done, completely and as it was asked for?", "what it is asked"),
    probes: option.count(4, "queries that it may make; 0: it sees the transcript alone", 0),
    least: option.number(0, "worst answer"),
    most: option.number(1, "best answer"),
    maxCharacters: option.count(24_000, "longest transcript that it is shown", 100),
  },
  check: (_, { least, most, probes }) => {
    if (least >= most) return "`most` of the grader judge has to be above `least`";
    return probes > 100 ? "`probes` of the grader judge may be at most 100" : undefined;
  },
  grade: async ({ trajectory, answer }, options, { ask, probe }) => {
    if (ask === undefined) return { score: unscored("no model was given to judge") };
    const { question, probes, least, most, maxCharacters } = options;
    const rubric = [{ name: NAME, question, weight: 1 }];
    const asked = judgePrompt(trajectory, trajectory.steps, {
      rubric,
      principles: [],
      least,
      most,
      withReasoning: false,
      maxCharacters,
    });
    const gold = answer === undefined ? [] : [`Expected: ${quoteLine(JSON.stringify(answer))}`];
    const seen: string[] = [];
    for (let left = probes; ; left -= 1) {
      const reply = await ask([asked, ...gold, ...(probes === 0 ? [] : [mayLook(left)]), ...seen].join("\n"));
      const query = queryIn(reply);
      if (query === undefined) return verdictIn(reply, least, most);
      if (left <= 0) return { score: unscored(`the judge went on asking after ${probes} queries`) };
      seen.push(`You asked ${quoteLine(query)} and the world showed ${quoteLine(await answered(probe, query))}`);
    }
  },
});

function mayLook(left: number): string {
  if (left <= 0) return "You may not look at the world any more: answer now.";
  return `Before you answer you may look at the world as the agent left it, ${left} times: {"probe": "<an action of this world that looks>"}. What it shows is true; what the record says of it may not be.`;
}

/** What the world refuses is an answer too. */
async function answered(probe: (action: string) => Promise<string>, query: string): Promise<string> {
  try {
    return (await probe(query)).slice(0, LONGEST_SEEN);
  } catch (error) {
    if (isAbort(error)) throw error;
    return `an error: ${errorData(error).message}`;
  }
}

function queryIn(reply: string): string | undefined {
  const objects = [reply.trim(), ...(reply.match(/\{[^{}]{0,5000}\}/g) ?? [])].map(parseJson).filter(isObject);
  const probe = objects.findLast((one: JsonObject) => "probe" in one)?.["probe"];
  return typeof probe === "string" && !objects.some((one) => NAME in one) ? probe : undefined;
}

function verdictIn(reply: string, least: number, most: number) {
  const read = readReply(reply, [NAME], { least, most });
  return { score: typeof read === "string" ? unscored(read) : scored(read.get(NAME) ?? 0) };
}
