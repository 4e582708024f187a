/** Redaction on kinds of secret that it was not written from. docs/promises.md has the rates. */
import { expect, test } from "vitest";
import { createRedactor } from "../src/record/recorder/redact.ts";
import { heldOutSecrets } from "./support/held-out-secrets.ts";

test("of a hundred kinds at least 97 are stopped", () => {
  const redactor = createRedactor({});
  const missed = heldOutSecrets.filter(({ secret, text }) => redactor.text(text).includes(secret));
  expect(heldOutSecrets).toHaveLength(100);
  expect(new Set(heldOutSecrets.map(({ kind }) => kind)).size).toBe(100);
  expect(missed.slice(3).map(({ kind }) => kind)).toEqual([]);
});
