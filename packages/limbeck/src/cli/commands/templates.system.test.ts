import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { familyFiles, type FamilyName } from "../../../../../test/support/chat-templates.ts";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";

const newFolder = temporaryFolders();

async function written(name: FamilyName, template?: string): Promise<string> {
  const { tokenizer, config, chatTemplate = "" } = familyFiles(name, template);
  const folder = join(await newFolder(), name);
  await mkdir(folder);
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
  await writeFile(join(folder, "chat_template.jinja"), chatTemplate);
  return folder;
}

test("what drifts is shown with the text around it; handled is 0, and 4 with --strict", async () => {
  const folder = await written("qwen3");
  const { code, out } = await limbeck(["templates", "check", folder]);
  expect(code).toBe(0);
  expect(out).toContain("≠ thinking ");
  expect(out).toContain("message 1, token 25: the template writes other text");
  expect(out).toMatch(/saw {5}<think>⏎The .*\n {4}shown {3}Go to the desk/);
  expect(out).toContain("Drifts in 4 of 11 chats");
  expect(out).toContain("What Limbeck does: one conversation of exact tokens (--prompts append)");
  expect(out).toContain("With thinking switched off: a prompt for every step (--prompts rebuilt)");
  expect((await limbeck(["templates", "check", folder, "--strict"])).code).toBe(4);
});

test("--json has one line for each chat and one with the sums", async () => {
  const { code, objects } = await limbeck(["templates", "check", await written("mistral"), "--json"]);
  expect(code).toBe(0);
  expect(objects()).toHaveLength(11);
  expect(objects()[1]).toMatchObject({ scenario: "system", state: "drifts", drift: { message: 2, cause: "history" } });
  expect(objects().at(-1)).toMatchObject({
    appends: 0,
    drifts: 6,
    leavesOut: 1,
    refused: 3,
    handling: "rebuilt",
    ok: true,
  });
});

test("where no agent can speak through the template the exit code is 4; a folder without one is bad input", async () => {
  const folder = await written("chatml", "{% for m in messages %}{{ m.content }}{% endfor %}");
  const { code, out } = await limbeck(["templates", "check", folder]);
  expect(code).toBe(4);
  expect(out).toContain("nothing: agents cannot speak through this template");
  const none = await limbeck(["templates", "check", await newFolder()]);
  expect([none.code, none.err]).toEqual([3, expect.stringContaining("has no tokenizer.json")]);
});
