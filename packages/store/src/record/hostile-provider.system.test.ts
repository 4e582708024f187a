/** Whatever a provider answers, down to the bytes: the agent gets an answer or its end, and the proxy lives on. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startRecording, type RecordingSetup } from "../../../../test/support/recording.ts";

/** What the provider sends, byte for byte, before it closes the connection. */
let answer = "";
let provider: Server;
let setup: RecordingSetup;
beforeEach(async () => {
  provider = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.from(answer, "latin1")));
  });
  await once(provider.listen(0, "127.0.0.1"), "listening");
  setup = await startRecording(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`);
});
afterEach(async () => {
  await setup.remove();
  await new Promise((resolve) => provider.close(resolve));
});

const BODY = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] });
const REPLY = JSON.stringify({ choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }] });

/** The status an agent sees, "cut" where its answer ends half way, "none" where it gets no answer at all. */
async function ask(bytes: string, run = "any"): Promise<number | "cut" | "none"> {
  answer = bytes;
  const outgoing = httpRequest(`${setup.proxy.url}/run/${encodeURIComponent(run)}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    agent: false,
  });
  outgoing.end(BODY);
  return await new Promise((resolve) => {
    // Only a proxy that forgot the request lets it come to this.
    outgoing.setTimeout(4000, () => outgoing.destroy());
    outgoing.on("error", () => resolve("none"));
    outgoing.on("response", (incoming: IncomingMessage) => {
      incoming.on("error", () => resolve("cut"));
      incoming.on("end", () => resolve(incoming.statusCode ?? 0));
      incoming.resume();
    });
  });
}
const whole = (status: number | string, headers: readonly string[] = [], body = REPLY): string =>
  [`HTTP/1.1 ${status} Odd`, "Connection: close", `Content-Length: ${body.length}`, ...headers, "", body].join("\r\n");
const lives = async (): Promise<boolean> => (await fetch(`${setup.proxy.url}/limbeck/health`)).ok;

describe("a provider that answers", () => {
  test("packed as something of Object.prototype: it passes, and the call is kept with what it was", async () => {
    const names = Object.getOwnPropertyNames(Object.prototype);
    for (const name of names) {
      expect(await ask(whole(200, ["Content-Type: application/json", `Content-Encoding: ${name}`]), name)).toBe(200);
      expect(await lives()).toBe(true);
    }
    const stored = await setup.finish();
    for (const name of names) {
      expect(stored.find(({ id }) => id === name)).toMatchObject({
        ending: "failed",
        failure: { code: "bad-answer", message: expect.stringContaining(name) as string },
      });
    }
  });

  test.each(["000", "001", "099", "101", "102", "199"])("status %s: the agent is answered with 502", async (status) => {
    expect(await ask(whole(status))).toBe(502);
    expect(await lives()).toBe(true);
  });

  test("101 with an upgrade: the agent is answered with 502", async () => {
    expect(await ask("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n")).toBe(502);
    expect(await lives()).toBe(true);
  });

  test("nothing, or no HTTP: the agent is answered with 502", async () => {
    for (const bytes of ["", "\r\n", "garbage\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 1000 Odd\r\n\r\n"]) {
      expect(await ask(bytes)).toBe(502);
    }
    expect(await lives()).toBe(true);
  });

  test("any status and any headers: answered with it or with 502, and the next agent is served", async () => {
    const status = fc.oneof(fc.integer({ min: 200, max: 999 }), fc.integer({ min: 0, max: 1200 }));
    const name = fc.oneof(
      fc.constantFrom(
        "Content-Encoding",
        "Content-Type",
        "Trailer",
        "Upgrade",
        "Connection",
        "Set-Cookie",
        "__proto__",
      ),
      fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_|~-]{1,12}$/),
    );
    const value = fc.oneof(
      fc.constantFrom("constructor", "__proto__", "gzip", "br", "text/event-stream", "close", ""),
      fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(status, fc.array(fc.tuple(name, value), { maxLength: 4 }), async (code, headers) => {
        const lines = headers.map(([key, text]) => `${key}: ${text.replaceAll(/[\r\n]/g, " ")}`);
        const seen = await ask(whole(`${code}`.padStart(3, "0"), lines));
        expect(code < 200 ? [502] : [code, 502, "cut"]).toContain(seen);
        expect(await lives()).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
