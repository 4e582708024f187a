/** Redaction on secrets in frames that others wrote: two corpora, each frozen by its hash. docs/evidence/promises.md has the rates. */
import { expect, test } from "vitest";
import { createRedactor } from "../packages/recorder/src/redact.ts";
import { framedSecrets, hashOf } from "./support/secret-frames/frame.ts";
import { firstFrames } from "./support/secret-frames/first-frames.ts";
import { honestFrames } from "./support/secret-frames/honest-frames.ts";

test("the first corpus is the one that was frozen before the rules", () => {
  const first = framedSecrets("secret frames, the first", firstFrames, 2);
  expect(first).toHaveLength(314);
  expect(hashOf([first, honestFrames])).toBe("3db2f302f37f27f277ae30ec984d529add8298eb899a7bb48c7cc86a3dfa5572");
  expect(createRedactor().text(first[0]?.text ?? "")).not.toContain(first[0]?.secret);
});
