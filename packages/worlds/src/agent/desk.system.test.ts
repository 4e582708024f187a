/** Requests as the SDKs send them (the AI SDK 5 to 7, Mastra, OpenAI's SDK for agents), written down by us. */
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "limbeck-base/base/json";
import { createDesk } from "./desk.ts";
import type { ChatQuestion, ChatReply } from "./question.ts";

const STOCK = {
  type: "function",
  name: "stock",
  description: "How many there are.",
  parameters: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
};
const CALL: ChatReply = { text: "", calls: [{ id: "call_1", name: "stock", arguments: { item: "lamp" } }] };
const TEXT: ChatReply = { text: "There are 4.", calls: [] };
const USER = { role: "user", content: [{ type: "input_text", text: "How many lamps?" }] };

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

/** A path whose questions are answered in turn, and what was asked. */
async function answering(...replies: readonly ChatReply[]) {
  const questions: ChatQuestion[] = [];
  const path = await createDesk().open((question) => {
    question.answer(replies[questions.push(question) - 1] ?? TEXT);
  });
  closing.push(() => path.close());
  const post = async (below: string, body: JsonObject): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${path.url}/${below}`, { method: "POST", body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const respond = async (body: JsonObject): Promise<JsonObject> =>
    JSON.parse((await post("responses", body)).text) as JsonObject;
  return { questions, post, respond };
}

const eventsOf = (text: string): JsonObject[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as JsonObject);

describe("responses", () => {
  test("instructions, items and tools are the question; a call is an item", async () => {
    const { questions, respond } = await answering(CALL);
    const answer = await respond({
      model: "m",
      instructions: "You keep a stock.",
      input: [USER],
      tools: [STOCK],
      tool_choice: "auto",
      text: { verbosity: "low" },
      include: [],
    });
    expect(questions[0]).toMatchObject({
      messages: [{ role: "system", content: "You keep a stock." }, USER],
      tools: [{ name: "stock", description: "How many there are.", parameters: STOCK.parameters }],
      mustCall: false,
      form: undefined,
    });
    expect(answer).toMatchObject({ object: "response", status: "completed", model: "m", error: null });
    expect(answer["output"]).toEqual([
      {
        id: "fc_1",
        type: "function_call",
        call_id: "call_1",
        name: "stock",
        arguments: '{"item":"lamp"}',
        status: "completed",
      },
    ]);
  });

  test("what was said before is repeated, named item by item, or named as a whole: the question is the same", async () => {
    const result = { type: "function_call_output", call_id: "call_1", output: "4 of lamp" };
    const wanted = [
      USER,
      { role: "assistant", tool_calls: [{ id: "call_1", function: { name: "stock", arguments: '{"item":"lamp"}' } }] },
      { role: "tool", tool_call_id: "call_1", content: "4 of lamp" },
    ];
    const begun = async () => {
      const { questions, respond } = await answering(CALL, TEXT);
      const { id, output } = await respond({ input: [USER], tools: [STOCK] });
      return { questions, respond, id: id as string, call: (output as [JsonObject])[0] };
    };
    const repeated = await begun();
    await repeated.respond({ input: [USER, { type: "reasoning", id: "rs_1", summary: [] }, repeated.call, result] });
    expect(repeated.questions[1]?.messages).toEqual(wanted);

    const named = await begun();
    await named.respond({ input: [USER, { type: "item_reference", id: named.call["id"] ?? "" }, result] });
    expect(named.questions[1]?.messages).toEqual(wanted);

    const stored = await begun();
    await stored.respond({ previous_response_id: stored.id, instructions: "Be brief.", input: [result] });
    // Instructions hold for one response; what was said holds on.
    expect(stored.questions[1]?.messages).toEqual([{ role: "system", content: "Be brief." }, ...wanted]);
  });

  test("words and a call of one turn are one message", async () => {
    const { questions, respond } = await answering();
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me see." }] };
    const call = { type: "function_call", call_id: "c", name: "stock", arguments: "{}" };
    await respond({ input: [USER, said, call, { type: "function_call_output", call_id: "c", output: "4" }] });
    expect(questions[0]?.messages[1]).toEqual({
      role: "assistant",
      content: said.content,
      tool_calls: [{ id: "c", function: { name: "stock", arguments: "{}" } }],
    });
    expect(questions[0]?.messages).toHaveLength(3);
  });

  test("a stream goes through the events of a text", async () => {
    const { post } = await answering(TEXT);
    const { text } = await post("responses", { input: "How many?", stream: true });
    const events = eventsOf(text);
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map((event) => event["sequence_number"])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events[4]).toMatchObject({ item_id: "msg_1", output_index: 0, content_index: 0, delta: "There are 4." });
    expect(events[8]).toMatchObject({ response: { status: "completed", output: [{ id: "msg_1" }] } });
    expect(text).toContain("event: response.completed\ndata: ");
  });

  test("and of a call", async () => {
    const { post } = await answering(CALL);
    const events = eventsOf((await post("responses", { input: [USER], tools: [STOCK], stream: true })).text);
    expect(events.map(({ type }) => type).slice(2, -1)).toEqual([
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
    ]);
    expect(events[2]).toMatchObject({ item: { type: "function_call", call_id: "call_1", arguments: "" } });
    expect(events[5]).toMatchObject({ item: { arguments: '{"item":"lamp"}', status: "completed" } });
  });

  test("what is not served is refused with its reason", async () => {
    const { questions, post } = await answering();
    const refused = async (body: JsonObject): Promise<string> => {
      const { status, text } = await post("responses", body);
      expect(status).toBe(400);
      return text;
    };
    expect(await refused({ input: "a", tools: [{ type: "web_search" }] })).toContain("runs at its provider");
    expect(await refused({ input: "a", previous_response_id: "resp_9" })).toContain("no earlier response");
    expect(await refused({ input: [{ type: "item_reference", id: "msg_9" }] })).toContain("never said here");
    expect(await refused({ input: [] })).toContain("nothing is asked");
    expect(await refused({ input: 3 })).toContain("no request for a response");
    expect(questions).toEqual([]);
  });
});

describe("both forms", () => {
  const SCHEMA = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
  const ways = {
    "chat/completions": (more: { choice?: unknown; format?: string }): JsonObject =>
      JSON.parse(
        JSON.stringify({
          messages: [{ role: "user", content: "How many?" }],
          tools: [
            { type: "function", function: { name: "stock", parameters: {} } },
            { type: "function", function: { name: "sell", parameters: {} } },
          ],
          tool_choice: more.choice === "sell" ? { type: "function", function: { name: "sell" } } : more.choice,
          response_format:
            more.format === "json_schema"
              ? { type: "json_schema", json_schema: { name: "response", strict: true, schema: SCHEMA } }
              : more.format && { type: more.format },
        }),
      ),
    responses: (more: { choice?: unknown; format?: string }): JsonObject =>
      JSON.parse(
        JSON.stringify({
          input: "How many?",
          tools: [STOCK, { ...STOCK, name: "sell" }],
          tool_choice: more.choice === "sell" ? { type: "function", name: "sell" } : more.choice,
          text: more.format && {
            format: {
              type: more.format,
              ...(more.format === "json_schema" ? { name: "response", schema: SCHEMA } : {}),
            },
          },
        }),
      ),
  };
  for (const [path, body] of Object.entries(ways)) {
    test(`which tools may be called, and whether one must be: ${path}`, async () => {
      const { questions, post } = await answering();
      for (const choice of ["auto", "none", "required", "sell", undefined]) await post(path, body({ choice }));
      expect(questions.map(({ tools, mustCall }) => [tools.map(({ name }) => name), mustCall])).toEqual([
        [["stock", "sell"], false],
        [[], false],
        [["stock", "sell"], true],
        [["sell"], true],
        [["stock", "sell"], false],
      ]);
    });
    test(`the form of the answer: ${path}`, async () => {
      const { questions, post } = await answering();
      for (const format of ["json_schema", "json_object", "text", undefined])
        await post(path, body(format === undefined ? {} : { format }));
      expect(questions.map(({ form }) => form)).toEqual([{ schema: SCHEMA }, {}, undefined, undefined]);
    });
  }
});

describe("streams of chat completions", () => {
  const chunks = async (more: JsonObject): Promise<JsonObject[]> => {
    const { post } = await answering(TEXT);
    const body = { messages: [{ role: "user", content: "How many?" }], stream: true, ...more };
    return eventsOf((await post("chat/completions", body)).text);
  };
  test("every part has a choice where nobody asked for usage: programs read choices[0]", async () => {
    expect((await chunks({})).map(({ choices }) => (choices as unknown[]).length)).toEqual([1, 1]);
  });
  test("usage comes last where it is asked for", async () => {
    const parts = await chunks({ stream_options: { include_usage: true } });
    expect(parts.map(({ choices }) => (choices as unknown[]).length)).toEqual([1, 1, 0]);
    expect(parts[2]).toMatchObject({ usage: { total_tokens: 0 } });
  });
});

test("another address is told what is served", async () => {
  const { post } = await answering();
  const { status, text } = await post("embeddings", {});
  expect([status, text]).toEqual([404, expect.stringContaining("POST v1/responses, GET v1/models")]);
});
