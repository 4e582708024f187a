/** Redaction on kinds of secret that it was not written from. docs/evidence/promises.md has the rates. */
import { expect, test } from "vitest";
import { createRedactor } from "../packages/recorder/src/redact.ts";
import { drawnSecrets } from "./support/drawn-secrets.ts";
import { heldOutSecrets } from "./support/held-out-secrets.ts";

test.each([
  ["by the names of public scanners' rules", heldOutSecrets],
  ["drawn from a public scanner's detectors", drawnSecrets],
])("of a hundred kinds %s at least 97 are stopped", (_, secrets) => {
  const redactor = createRedactor({});
  const missed = secrets.filter(({ secret, text }) => redactor.text(text).includes(secret));
  expect(secrets).toHaveLength(100);
  expect(new Set(secrets.map(({ kind }) => kind)).size).toBe(100);
  expect(missed.slice(3).map(({ kind }) => kind)).toEqual([]);
});

test("what is random and no secret stays: ids of calls, hashes, addresses, names of code, certificates", () => {
  const redactor = createRedactor({});
  for (const text of [
    '{"tool_call_id":"call_9pw1qnScqvGrCH58HWCvFH6T","id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG"}',
    "toolu_01A09q90qw90lq917835lq9Z answered with msg_01XFDUDYJgAACzvnptvVoYEL",
    "commit 9f1d2c3b4a5968778695a4b3c2d1e0f9182736450 fixes 2a580003-04bb-4ee9-bd9c-8f4a0eca8b4f",
    '"integrity": "sha512-4ZbKH0ghPwR4bC2TzsHqZMxc9cYd1tB0tZpKS5MkPv2wvpXhZo5bD8V6t4WmZ1rKbDTUqk0o2hkzQmGmW3cL8A=="',
    "https://drive.acme.example/file/d/1B0sotl48BLd4gqlitL5HVJf1cy3RxpEV/view",
    "class TestImageChunkBase64RoundTrip extends ChatCompletionsV1BetaClientOptions2024",
    "src/policy/local/kernels/Q4_K_M/matmul-int8-x86-64-avx512.wat and models/Qwen2.5-0.5B-Instruct-GGUF",
    "MIIFazCCA1OgAwIBAgIRAIIQz7DSQONZRGPgu2OCiwAwDQYJKoZIhvcNAQELBQAw",
    "export WANDB_API_KEY=<your_key_here>, api_key=wandb_api_key, postgresql://user:password@localhost:5432/shop",
    "GIT_COMMIT=9f1d2c3b4a5968778695a4b3c2d1e0f918273645",
  ]) {
    expect(redactor.text(text)).toBe(text);
  }
  const record = { id: "k3JHq8Zp1Xv7Wc5Tn2Rb9Ld4Gf6Ys0Ma", cursor: ["Zk3JHq8Zp1Xv7Wc5Tn2Rb9Ld4Gf6Ys0Ma"] };
  expect(redactor.json(record)).toEqual(record);
  expect(redactor.id(record.id)).toBe(record.id);
});

test("a word of chance goes where nothing names it, and a hash where something does", () => {
  const redactor = createRedactor({});
  const word = ["k3JHq8Zp1Xv7", "Wc5Tn2Rb9Ld4Gf6Ys0Ma"].join("");
  expect(redactor.text(`INFO shop answered ${word} at once`)).toBe("INFO shop answered [redacted secret] at once");
  const hash = "9f1d2c3b4a5968778695a4b3c2d1e0f9";
  expect(redactor.text(`new ShopClient("${hash}")`)).toBe('new ShopClient("[redacted secret]")');
  expect(redactor.text(`you can use my key ${hash} until Friday`)).toBe(
    "you can use my key [redacted secret] until Friday",
  );
  expect(redactor.text(`the image ${hash} was built`)).toBe(`the image ${hash} was built`);
});
