import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, test } from "vitest";
import { connect, notesEnv, TASK } from "../../../../test/support/notes-world.ts";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { stdioTransport } from "./mcp-transport.ts";

describe("a lost server ends the episode as failed and unscored", () => {
  const lose = async (env: ReturnType<typeof notesEnv>, action: string) => {
    const episode = await env.open(TASK);
    const result = await episode.step(action);
    expect(result).toMatchObject({ ending: "failed", success: null, reward: { kind: "unscored" } });
    expect(episode.reward.kind).toBe("unscored");
    await expect(episode.step("x")).rejects.toMatchObject({ code: "episode-ended" });
    await episode.close();
    return episode.failure?.code;
  };
  test("it hangs", async () =>
    expect(await lose(notesEnv({ timeoutMs: 60 }), callAction("hang", {}))).toMatch(/timeout|server-lost/));
  test("it dies", async () => expect(await lose(notesEnv(), callAction("crash", {}))).toBe("server-lost"));
  test("it answers nonsense", async () => {
    const spoil = (message: unknown) => {
      const answer = message as { result?: { content?: unknown } };
      return answer.result?.content === undefined ? message : { ...answer, result: { content: "nonsense" } };
    };
    expect(await lose(notesEnv({ connect: connect(spoil) }), callAction("read_notes", {}))).toBe("server-lost");
  });
  test("it cannot be started, or never says hello: opening says so", async () => {
    const missing = notesEnv({ connect: stdioTransport({ command: "no-such-program-here" }) });
    await expect(missing.open(TASK)).rejects.toMatchObject({ code: "server-lost" });
    const silent = notesEnv({ connect: async () => InMemoryTransport.createLinkedPair()[0], timeoutMs: 60 });
    await expect(silent.open(TASK)).rejects.toThrow(/could not be reached/);
    const never = notesEnv({ connect: () => new Promise(() => undefined), timeoutMs: 60 });
    await expect(never.open(TASK)).rejects.toMatchObject({ code: "timeout" });
  });
  test("a real child process that dies in the middle", async () => {
    const program = "process.stdin.once('data', () => process.exit(3))";
    const env = notesEnv({ connect: stdioTransport({ command: process.execPath, args: ["-e", program] }) });
    await expect(env.open(TASK)).rejects.toMatchObject({ code: "server-lost" });
  });
  test("a cancelled call rejects, and the episode cannot pretend that it knows the state", async () => {
    const episode = await notesEnv().open(TASK);
    const stop = new AbortController();
    const step = episode.step(callAction("hang", {}), { signal: stop.signal });
    stop.abort();
    await expect(step).rejects.toMatchObject({ code: "cancelled" });
    expect((await episode.step(callAction("read_notes", {}))).ending).toBe("failed");
    await episode.close();
  });
});
