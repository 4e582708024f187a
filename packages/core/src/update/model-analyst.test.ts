import { afterEach, expect, test } from "vitest";
import { testClock } from "../../../../test/support/chat-client.ts";
import { startChatServer, type Answer, type ChatServerDouble } from "../../../../test/support/chat-server.ts";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { openChatModel } from "limbeck-policy/policy/chat/chat-model";
import { createModelAnalyst } from "../skill/model/model.ts";

const servers: ChatServerDouble[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

const says = (text: string): Answer => ({
  body: {
    choices: [{ message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 4 },
  },
});
const GOOD = '{"episode_summary":"s","episode_skill":"go east until the end","step_skills":{"0":"go east"}}';
const FORTY = `{"episode_skill":"e","step_skills":{${Array.from({ length: 40 }, (_, at) => `"${at}":"s"`).join(",")}}}`;

// 18 episodes are analysed in an update. What the endpoint does, and how many of the analyses fail.
test.each<[string, Answer[], number]>([
  ["answers well", [says(GOOD)], 0],
  ["puts prose around the JSON", [says(`Sure.\n\`\`\`json\n${GOOD}\n\`\`\``)], 0],
  ["sends forty step skills", [says(FORTY)], 0],
  ["sends none and wrong types", [says('{"episode_skill":5,"step_skills":"none"}')], 0],
  ["rate-limits, then answers", [{ status: 429, headers: { "retry-after": "1" } }, { status: 503 }, says(GOOD)], 0],
  ["never sends JSON", [says("I would rather not.")], 18],
  ["always fails", [{ status: 500 }], 18],
  ["streams garbage", [{ headers: { "content-type": "text/event-stream" }, body: "data: {]\n\nnoise\n\n" }], 18],
])("an endpoint that %s: the update completes and counts it", async (_, answers, failed) => {
  const server = await startChatServer(...answers);
  servers.push(server);
  const { clock } = testClock();
  const chat = openChatModel({ baseUrl: server.baseUrl, model: "m" }, { clock, retry: { retries: 2 } });
  const { record, model, before } = await tryRecipe("opid", { analyst: createModelAnalyst({ chat }) });
  try {
    expect(record.metrics["analyst/failed"]).toBe(failed);
    expect(record.metrics["analyst/analysed"]).toBe(18);
    expect(model.weights.flat).not.toEqual(before);
    expect(record.taught?.opinions.size).toBe(18 - failed);
  } finally {
    await model.close();
  }
});
