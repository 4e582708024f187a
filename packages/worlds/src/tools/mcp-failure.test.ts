import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, test } from "vitest";
import { createFaultyServer, notesEnv, TASK } from "../../../../test/support/notes-world.ts";
import { scored } from "limbeck-base/trajectory/score";
import { callAction } from "limbeck-base/trajectory/tool-action";

describe("any MCP server can stand in", () => {
  test("success is the right writes and the required words", async () => {
    const play = async (note: string, words: string) => {
      const episode = await notesEnv().open(TASK);
      expect(episode.observation).toMatch(
        /^Take notes\.\n\nTools\n- read_notes\(\) \[read\]: Reads\.\n- add_note\(text\) \[write, cannot be undone\]/,
      );
      await episode.step(callAction("add_note", { text: note }));
      await episode.step(callAction("read_notes", {}));
      await episode.step(words);
      await episode.close();
      return [episode.ending, episode.reward, episode.success];
    };
    expect(await play("milk", "Done, there is 1 note now.")).toEqual(["terminated", scored(1), true]);
    expect(await play("beer", "Done, there is 1 note now.")).toEqual(["terminated", scored(0), false]);
    expect(await play("milk", "Done.")).toEqual(["terminated", scored(0), false]);
  });
  test("what the server refuses is an invalid action, not a lost world", async () => {
    const episode = await notesEnv().open(TASK);
    const key = episode.stateKey;
    const wrong = await episode.step(callAction("add_note", { text: "x" }));
    expect([wrong.valid, wrong.ending, episode.stateKey]).toEqual([false, undefined, key]);
    const unknown = await episode.step(callAction("add_notes", {}));
    expect(unknown.observation).toContain('Did you mean "add_note"?');
    await episode.close();
  });
  test("answers that are no text, and too much of it, are made fit", async () => {
    const episode = await notesEnv({ maxResultCharacters: 100 }).open(TASK);
    expect((await episode.step(callAction("image", {}))).observation).toBe("Tool image: [image]");
    expect((await episode.step(callAction("structured", {}))).observation).toBe('Tool structured: {"value":7}');
    const { observation } = await episode.step(callAction("long", {}));
    // 100 characters, of which the first, an escape, is replaced, and the mark of the cut
    expect(observation).toBe(`Tool long: \uFFFD[2J${"x".repeat(96)} [cut]`);
    await episode.close();
  });
});

describe("forks over MCP", () => {
  test("are refused unless the server is said to be replayable", async () => {
    const episode = await notesEnv().open(TASK);
    await expect(episode.fork()).rejects.toThrow(/set replayable: true/);
    await episode.close();
  });
  test("repeat the calls on a new connection", async () => {
    const episode = await notesEnv({ replayable: true }).open(TASK);
    await episode.step(callAction("add_note", { text: "milk" }));
    const fork = await episode.fork();
    await fork.step(callAction("add_note", { text: "eggs" }));
    expect((await fork.step(callAction("read_notes", {}))).observation).toBe("Tool read_notes: milk, eggs");
    expect((await episode.step(callAction("read_notes", {}))).observation).toBe("Tool read_notes: milk");
    for (const each of [fork, episode]) await each.close();
  });
  test("are given up when an answer differs", async () => {
    let opened = 0;
    const drifting = async () => {
      opened += 1;
      const [client, wire] = InMemoryTransport.createLinkedPair();
      const server = createFaultyServer();
      if (opened > 1) server.registerTool("clock", {}, () => ({ content: [{ type: "text", text: "later" }] }));
      else server.registerTool("clock", {}, () => ({ content: [{ type: "text", text: "now" }] }));
      await server.connect(wire);
      return client;
    };
    const episode = await notesEnv({ connect: drifting, replayable: true }).open(TASK);
    await episode.step(callAction("clock", {}));
    await expect(episode.fork()).rejects.toMatchObject({ code: "fork-diverged" });
    await episode.close();
  });
});
