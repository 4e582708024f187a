import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { familyFiles } from "../../../../../../test/support/chat-templates.ts";
import { temporaryFolders } from "../../../../../../test/support/temporary-folder.ts";
import { checkTemplate } from "./bounded.ts";

const folder = temporaryFolders();

async function written(template?: string): Promise<string> {
  const path = join(await folder(), "model");
  const files = familyFiles("chatml");
  const { chat_template: _, ...config } = files.config;
  await mkdir(path);
  await writeFile(join(path, "tokenizer.json"), JSON.stringify(files.tokenizer));
  await writeFile(join(path, "tokenizer_config.json"), JSON.stringify(config));
  if (template !== undefined) await writeFile(join(path, "chat_template.jinja"), template);
  return path;
}

/** Sixteen million letters in a few steps: templates whose steps are counted may still take long over each. */
const long =
  "{% set n = namespace(text='a', all=[]) %}{% for a in range(24) %}{% set n.text = n.text + n.text %}{% endfor %}";

test("loops without end are refused for every chat that they are in, and the others are looked at", async () => {
  const template = `{% if messages[0].role == 'system' %}{% for a in range(100000) %}{% for b in range(100000) %}
{% for c in range(100000) %}{% endfor %}{% endfor %}{% endfor %}{% endif %}${familyFiles("chatml").chatTemplate}`;
  const { results } = await checkTemplate(await written(template));
  expect(results.find(({ scenario }) => scenario === "plain")?.state).toBe("appends");
  expect(results.find(({ scenario }) => scenario === "system")).toMatchObject({
    state: "refused",
    error: { message: expect.stringContaining("at most 100000 numbers in all") },
  });
});

test("a template that does not come to an end is ended, and the chat it hung on is named", async () => {
  // It begins well: only a chat with a system message hangs.
  const template = `{% if messages[0].role == 'system' %}${long}{% for a in range(10000) %}{% set n.text = n.text | replace('a', 'a') %}
{% endfor %}{% endif %}${familyFiles("chatml").chatTemplate}`;
  const report = await checkTemplate(await written(template), { limitMs: 2_000 });
  expect(report.results.map(({ scenario, state }) => [scenario, state])).toEqual([
    ["plain", "appends"],
    ["system", "refused"],
  ]);
  expect(report).toMatchObject({ handling: "none", reason: { code: "bad-chat-template" } });
  expect(report.reason?.message).toContain('did not come to an end within 2 s (chat "system"');
});

test("a template that fills the memory is ended, and whoever asked lives on", async () => {
  const template = `${long}{% for a in range(1000) %}{% set n.all = n.all + [n.text | replace('a', 'b')] %}{% endfor %}`;
  const report = await checkTemplate(await written(template), { memoryMegabytes: 256 });
  expect(report.reason?.message).toContain("took more memory than it may have");
  expect(report.handling).toBe("none");
});

test("a flood of text is refused", async () => {
  const flood = `{% for a in range(20) %}${"x".repeat(100_000)}{% endfor %}`;
  const { results, handling } = await checkTemplate(await written(flood));
  expect(results[0]).toMatchObject({ state: "refused", error: { message: expect.stringContaining("wrote 2000000") } });
  expect(handling).toBe("none");
});

test("a folder without a template, and one that cannot be read, are errors", async () => {
  await expect(checkTemplate(await written())).rejects.toThrow("has no chat template; add chat_template.jinja");
  await expect(checkTemplate(await written("{% if %}"))).rejects.toThrow("The chat template cannot be read");
});
