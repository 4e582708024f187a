/** Calls of an agent that carried a skill, through the proxy, count as uses of it, once, with how they ended. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScriptedProvider } from "../../../../examples/scripted-provider.ts";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { startRecording } from "../../../../test/support/recording.ts";
import { bankSkills, readBank } from "limbeck-core/skill/bank/skill-bank";
import { openLibrary } from "limbeck-core/skill/library/library";
import { writeSection } from "limbeck-recorder/selection/section";

test("uses by recorded agents are counted once, and an outcome that comes later takes the place of none", async () => {
  const provider = await startScriptedProvider();
  const setup = await startRecording(provider.url);
  const { proxy, recordings, store } = setup;
  const folder = join(store.root, "..", `${store.root.split("/").at(-1)}-skills`);
  try {
    const library = openLibrary(folder);
    const bank = { general_skills: [{ id: "look", title: "Look", principle: "Look first." }] };
    for (const skill of bankSkills(readBank(bank))) await library.add(skill, { by: "me", action: "added" });
    const [{ name, text } = { name: "", text: "" }] = (await library.list()).skills;
    const section = writeSection([
      { name, level: "general", text },
      { name: "of-another-library", level: "task", text: "Wait." },
    ]);
    for (const id of ["good", "bad", "open", "bare"]) {
      const system = id === "bare" ? "Help." : `Help.\n\n${section}`;
      const messages = [
        { role: "system", content: system },
        { role: "user", content: `hello from ${id}` },
      ];
      const response = await fetch(`${proxy.url}/run/${id}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer none" },
        body: JSON.stringify({ model: "scripted", messages }),
      });
      expect(response.ok).toBe(true);
    }
    await recordings.tick(true);
    const ask = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { code, objects } = await limbeck([...words, "--store", store.root, "--json"]);
      expect(code).toBe(0);
      return objects()[0] ?? {};
    };
    const uses = async (): Promise<unknown> => (await ask("skills", "show", name, "--library", folder))["statistics"];
    expect(await uses()).toMatchObject({ uses: 3, successes: 0, failures: 0, utility: 0 });
    await ask("feedback", "good", "--success");
    await ask("feedback", "bad", "--failure");
    // In the order of the log: good gives U = 1, then bad 0.95 * 1 + 0.05 * 0.
    const after = { uses: 3, successes: 1, failures: 1, utility: 0.95 };
    expect(await uses()).toMatchObject(after);
    expect(await uses()).toMatchObject(after);
    await ask("skills", "tend", "--library", folder);
    expect((await ask("skills", "list", "--library", folder))["statistics"]).toMatchObject(after);
    // Three that were seen first without an outcome, and two outcomes.
    expect((await readFile(join(folder, name, "uses.jsonl"), "utf8")).trim().split("\n")).toHaveLength(5);
  } finally {
    await setup.remove();
    await provider.close();
  }
}, 60_000);
