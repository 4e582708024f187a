import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { httpRetriever, type HttpRetrieverOptions, type RetrieverClock } from "./http-retriever.ts";
import { createResearch } from "./research.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A real server on this machine's loopback address. */
async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => handler(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/retrieve`;
}

/** Waits are noted, not waited for; the deadline fires when the test says so. */
function testClock(): RetrieverClock & { readonly waits: number[]; expire(): void } {
  const waits: number[] = [];
  const deadlines: AbortController[] = [];
  return {
    waits,
    wait: (delayMs) => {
      waits.push(delayMs);
      return Promise.resolve();
    },
    deadline: () => {
      const controller = new AbortController();
      deadlines.push(controller);
      return controller.signal;
    },
    expire: () => deadlines.forEach((controller) => controller.abort()),
  };
}

const good = JSON.stringify({
  result: [[{ document: { id: 7, contents: '"A"\nfirst' }, score: 2 }, { document: { contents: '"B"\nsecond' } }]],
});

async function ask(handler: Handler, options: Partial<HttpRetrieverOptions> = {}) {
  const clock = testClock();
  const retriever = httpRetriever({ url: await serve(handler), clock, ...options });
  return { clock, answer: retriever.retrieve("who\u0000?", 3) };
}

describe("the HTTP retriever", () => {
  test("speaks the contract", async () => {
    const asked: unknown[] = [];
    const { answer } = await ask((request, response, body) => {
      asked.push(request.method, request.headers["content-type"], JSON.parse(body));
      response.end(good);
    });
    const passages = await answer;
    expect(passages.map((passage) => passage.contents)).toEqual(['"A"\nfirst', '"B"\nsecond']);
    expect(passages[0]!.id).toBe("7");
    expect(passages[1]!.id).toMatch(/^[0-9a-f]{16}$/);
    expect(asked).toEqual(["POST", "application/json", { query: "who\u0000?", topk: 3, return_scores: true }]);
  });

  test("tries again on 5xx with growing pauses", async () => {
    let requests = 0;
    const { clock, answer } = await ask((_, response) => {
      requests += 1;
      response.statusCode = requests <= 3 ? 503 : 200;
      response.end(requests <= 3 ? "busy" : good);
    });
    expect(await answer).toHaveLength(2);
    expect(clock.waits).toEqual([1000, 2000, 3000]);
  });

  test("gives up after ten requests", async () => {
    let requests = 0;
    const { answer } = await ask((_, response) => {
      requests += 1;
      response.statusCode = 500;
      response.end();
    });
    await expect(answer).rejects.toMatchObject({
      code: "retriever-unavailable",
      message: expect.stringContaining("answered with status 500 in 10 of 10 requests") as string,
    });
    expect(requests).toBe(10);
  });

  test("a retriever that is not there is tried again, then named", async () => {
    const url = await serve(() => undefined);
    await closers.pop()!();
    const answer = httpRetriever({ url, clock: testClock(), attempts: 2 }).retrieve("x", 3);
    await expect(answer).rejects.toThrow(`${url} could not be reached in 2 of 2 requests`);
  });

  test("silence ends at the deadline, before and inside the reply", async () => {
    for (const begin of [false, true]) {
      const clock = testClock();
      const handler: Handler = (_, response) => {
        if (begin) response.write("{");
        clock.expire();
      };
      const { answer } = await ask(handler, { clock, timeoutMs: 1234 });
      await expect(answer).rejects.toMatchObject({
        code: "retriever-timeout",
        message: expect.stringContaining("within 1234 ms") as string,
      });
      expect(clock.waits).toEqual([]);
    }
  });

  test.each([
    ["<html>hello</html>", "is not JSON"],
    ["", "is not JSON"],
    ["[]", "has another shape"],
    ['{"result": []}', "has another shape"],
    ['{"result": [[{"document": {"contents": 7}}]]}', "has another shape"],
    [`"${"x".repeat(2_000)}"`, "is longer than 1000 bytes"],
  ])("nonsense is called nonsense: %.30s", async (text, why) => {
    const { clock, answer } = await ask((_, response) => response.end(text), { maxReplyBytes: 1_000 });
    await expect(answer).rejects.toMatchObject({
      code: "retriever-nonsense",
      message: expect.stringContaining(why) as string,
    });
    expect(clock.waits).toEqual([]);
  });

  test("a refusal is not repeated and its address is shown without the query string", async () => {
    const url = await serve((_, response) => {
      response.statusCode = 403;
      response.end();
    });
    const answer = httpRetriever({ url: `${url}?key=secret`, clock: testClock() }).retrieve("x", 3);
    await expect(answer).rejects.toThrow(`The retriever at ${url} answered with status 403.`);
  });

  test("cancelling stops the request and the waiting", async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort());
    const answer = httpRetriever({ url }).retrieve("x", 3, { signal: stop.signal });
    await expect(answer).rejects.toMatchObject({ code: "cancelled" });
  });

  test("bad options are refused", () => {
    expect(() => httpRetriever({ url: "file:///etc/passwd" })).toThrow("not an http or https URL");
    expect(() => httpRetriever({ url: "http://x", attempts: 0 })).toThrow("at least 1");
  });

  test("an episode over it ends as failed and unscored", async () => {
    const url = await serve((_, response) => response.end("nonsense"));
    const env = createResearch({
      retriever: httpRetriever({ url, clock: testClock() }),
      questions: { all: [{ id: "q", question: "Who?", answers: ["me"], support: [] }] },
      corpus: "http",
    });
    for await (const task of env.tasks("all")) {
      const episode = await env.open(task);
      const result = await episode.step("<search>who</search>");
      expect(result).toMatchObject({ ending: "failed", success: null, reward: { kind: "unscored" } });
      expect(episode.failure?.code).toBe("retriever-nonsense");
    }
  });
});
