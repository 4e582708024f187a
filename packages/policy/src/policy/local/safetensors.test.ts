import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { decodeElements, encodeElements } from "./element-type.ts";
import { openSafetensors, writeSafetensors } from "./safetensors.ts";

const folder = temporaryFolders();

async function fileOf(header: unknown, data: Uint8Array, claimed?: bigint): Promise<string> {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(claimed ?? BigInt(json.length));
  const path = join(await folder(), "model.safetensors");
  await writeFile(path, Buffer.concat([length, json, data]));
  return path;
}

test("what is written is read back: float32 exactly, bfloat16 to its eight bits", async () => {
  const path = join(await folder(), "x.safetensors");
  const data = Float32Array.of(1, -2.5, 0.1, 3e38, -0, 7);
  await writeSafetensors(
    path,
    [
      { name: "a", shape: [2, 3], data, type: "F32" },
      { name: "b", shape: [6], data, type: "BF16" },
      { name: "none", shape: [0, 4], data: new Float32Array(0), type: "F32" },
    ],
    { note: "here" },
  );
  const file = await openSafetensors(path);
  try {
    expect(file.metadata).toEqual({ format: "pt", note: "here" });
    expect([...file.tensors].map(([name, { shape, type }]) => [name, shape, type])).toEqual([
      ["a", [2, 3], "F32"],
      ["b", [6], "BF16"],
      ["none", [0, 4], "F32"],
    ]);
    // Numbers start at a multiple of eight.
    expect((file.tensors.get("a")?.start ?? 1) % 8).toBe(0);
    const [first, second] = [new Float32Array(6), new Float32Array(6)];
    await file.readInto("a", first);
    await file.readInto("b", second);
    expect(first).toEqual(data);
    // 0.1 = 0x3DCCCCCD -> 0x3DCD = 0.10009765625; 3e38 = 0x7F61B1E6 -> 0x7F62 = 0xE2 / 128 * 2^127.
    expect([...second]).toEqual([1, -2.5, 0.10009765625, (0xe2 / 128) * 2 ** 127, -0, 7]);
    await expect(file.readInto("a", new Float32Array(5))).rejects.toThrow("holds 6 numbers; 5 are wanted");
    await expect(file.readInto("c", first)).rejects.toThrow('no tensor "c"');
  } finally {
    await file.close();
  }
});

test("bfloat16 rounds to the nearest, ties to even, and keeps what is not a number", () => {
  const bits = (...values: number[]): number[] => {
    const source = new Float32Array(Uint32Array.from(values).buffer);
    return [...new Uint16Array(encodeElements("BF16", source).slice().buffer)];
  };
  // Just below, at and just above the middle of 0x3F80 and 0x3F81; at the middle of 0x3F81 and 0x3F82.
  expect(bits(0x3f80_7fff, 0x3f80_8000, 0x3f80_8001, 0x3f81_8000)).toEqual([0x3f80, 0x3f80, 0x3f81, 0x3f82]);
  // The largest float32 rounds to infinity; a not-a-number with low bits only stays one.
  expect(bits(0x7f7f_ffff, 0x7f80_0001, 0xff80_0000)).toEqual([0x7f80, 0x7fc0, 0xff80]);
});

test("float16 is read: normal, subnormal, infinite", () => {
  // 0x3C00 = 1; 0xC100 = -2.5; 0x7BFF = 65504; 0x0001 = 2^-24; 0x7C00 = infinity; 0x7E00 is not a number.
  const halves = Uint16Array.of(0x3c00, 0xc100, 0x7bff, 0x0001, 0x7c00, 0x7e00, 0x8000);
  const target = new Float32Array(7);
  decodeElements("F16", new Uint8Array(halves.buffer), target);
  expect([...target]).toEqual([1, -2.5, 65_504, 2 ** -24, Number.POSITIVE_INFINITY, Number.NaN, -0]);
});

test("bfloat16 numbers survive being written and read", async () => {
  const path = join(await folder(), "many.safetensors");
  // More than one chunk of the reader.
  const data = Float32Array.from({ length: 700_001 }, (_, at) => (at % 255) - 127);
  await writeSafetensors(path, [{ name: "x", shape: [data.length], data, type: "BF16" }]);
  const file = await openSafetensors(path);
  const read = new Float32Array(data.length);
  await file.readInto("x", read);
  await file.close();
  expect(read.every((value, at) => value === data[at])).toBe(true);
});

const tensor = (dtype: string, shape: readonly unknown[], offsets: readonly unknown[]): unknown => ({
  dtype,
  shape,
  data_offsets: offsets,
});

test.each<[string, unknown, number, bigint | undefined, string]>([
  ["a header that claims ten gigabytes", {}, 8, 10_000_000_000n, "header claims 10000000000 bytes, but only 10 follow"],
  ["a header longer than any number", {}, 8, 2n ** 64n - 1n, "header claims 18446744073709551615 bytes"],
  ["a header that is not JSON", "{'a': 1}", 0, undefined, "header is not JSON"],
  ["a header that is not an object", "[1, 2]", 0, undefined, "not a JSON object"],
  ["a place past the end", { a: tensor("F32", [2], [0, 8]) }, 4, undefined, '"a" lies at 0 to 8, outside the 4 bytes'],
  ["a place that ends before it starts", { a: tensor("F32", [0], [4, 0]) }, 4, undefined, "lies at 4 to 0"],
  ["a shape of another size", { a: tensor("F32", [3], [0, 8]) }, 8, undefined, "[3] needs 12 bytes and has 8"],
  ["a shape of endless size", { a: tensor("F32", [2 ** 52, 2 ** 52], [0, 8]) }, 8, undefined, "and has 8"],
  ["a negative side", { a: tensor("F32", [-2, -1], [0, 8]) }, 8, undefined, "not a list of whole numbers"],
  ["an unknown element type", { a: tensor("F99", [2], [0, 8]) }, 8, undefined, 'element type "F99"'],
  ["an element type of the object's own", { a: tensor("constructor", [2], [0, 8]) }, 8, undefined, "element type"],
  ["no offsets", { a: { dtype: "F32", shape: [1] } }, 4, undefined, "no two data offsets"],
  [
    "tensors that overlap",
    { a: tensor("F32", [2], [0, 8]), b: tensor("F32", [2], [4, 12]) },
    12,
    undefined,
    '"b" overlaps',
  ],
  [
    "a hole between tensors",
    { a: tensor("F32", [1], [0, 4]), b: tensor("F32", [1], [8, 12]) },
    12,
    undefined,
    "4 bytes before",
  ],
  ["data after the last tensor", { a: tensor("F32", [1], [0, 4]) }, 12, undefined, "8 bytes at its end"],
  ["metadata that is not text", { __metadata__: { a: 1 } }, 8, undefined, "not a table of texts"],
  ["a control character in a name", { "\u001b[2J\u009b": 5 }, 8, undefined, String.raw`"\u001b[2J\u009b" is not`],
])("%s is refused", async (_title, header, dataBytes, claimed, message) => {
  await expect(openSafetensors(await fileOf(header, new Uint8Array(dataBytes), claimed))).rejects.toThrow(message);
});

test("a file of any bytes is refused or read, and never crashes", async () => {
  const path = join(await folder(), "any.safetensors");
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.boolean(), async (bytes, small) => {
      const whole = small ? Buffer.concat([Buffer.of(bytes.length, 0, 0, 0, 0, 0, 0, 0), bytes]) : bytes;
      await writeFile(path, whole);
      const outcome = await openSafetensors(path).then(
        async (file) => {
          await file.close();
          return "read";
        },
        (error: unknown) => (error as { code?: string }).code,
      );
      expect(["read", "bad-safetensors"]).toContain(outcome);
    }),
    { numRuns: 60 },
  );
});
