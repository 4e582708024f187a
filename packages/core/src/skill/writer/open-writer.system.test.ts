/** Who writes, by the words of `--ask`. */
import { expect, test } from "vitest";
import { bundledModel, bundledModelFor } from "limbeck-policy/policy/local/bundled-model";
import type { Writing } from "../skill.ts";
import { openWriter } from "./open-writer.ts";

const reason = (about: string): Writing<string> => ({
  kind: "reason",
  wanted: "Why? Begin with Because.",
  material: [about],
  maxTokens: 24,
  read: (text) => (text.startsWith("Because") ? text : undefined),
  textsOf: (text) => [text],
  template: () => "Because the template says so.",
});

test("local:DIR opens a model; the bundled one has not learnt to write", { timeout: 60_000 }, async () => {
  const writer = await openWriter(`local:${bundledModel(bundledModelFor("countdown"))}`, { environment: {} });
  const written = await writer.write(reason("rain"));
  expect(written).toMatchObject({ value: "Because the template says so.", by: "template" });
  expect(written.why).toMatch(/form/);
  expect(written.usage?.completionTokens).toBeGreaterThan(0);
  await writer.close?.();
});
