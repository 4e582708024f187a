import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonSplitter, JsonStructureError, type JsonPath, type Piece } from "./json-stream.ts";

function split(text: string, path: JsonPath, cuts: readonly number[] = [], maxBytes = 1_000_000): Piece[] {
  const bytes = Buffer.from(text);
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((left, right) => left - right);
  const splitter = new JsonSplitter(path, maxBytes);
  const pieces: Piece[] = [];
  [0, ...at].forEach((from, index) => pieces.push(...splitter.push(bytes.subarray(from, at[index] ?? bytes.length))));
  pieces.push(...splitter.end());
  return pieces;
}

function values(pieces: readonly Piece[]): unknown[] {
  return pieces.map((piece) => (piece.kind === "element" ? JSON.parse(piece.bytes.toString()) : piece));
}

/** The same selection on parsed JSON: the reference the scanner is held against. */
function select(value: unknown, path: JsonPath): unknown[] {
  const [first, ...rest] = path;
  if (first === undefined) return [value];
  if (first === "*") return Array.isArray(value) ? value.flatMap((item) => select(item, rest)) : [];
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, first)) return [];
  return select((value as Record<string, unknown>)[first], rest);
}

const leaf = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.constant(null),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", 'q"\\', "a\u0001", "é"), tie("node"), { maxKeys: 4 }),
  ),
}));
const paths: fc.Arbitrary<JsonPath> = fc.array(fc.constantFrom("*", "a", 'q"\\', "é"), { maxLength: 3 });

test("any document, any path, any chunk boundaries: the same elements as parsing it whole", () => {
  fc.assert(
    fc.property(
      node,
      paths,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.constantFrom(undefined, 1, 4),
      (doc, path, cuts, indent) => {
        const text = JSON.stringify(doc, null, indent);
        expect(values(split(text, path, cuts))).toEqual(select(JSON.parse(text), path));
      },
    ),
    { numRuns: 500 },
  );
});

test("several values in one file, spans below a deep path, and the line each began on", () => {
  const text = '{"s":[{"x":[1,\n2]}]}\n\n{"s":[{"y":[9]},{"x":["]}",{"x":[3]}]}]}';
  const pieces = split(text, ["s", "*", "x", "*"]);
  expect(values(pieces)).toEqual([1, 2, "]}", { x: [3] }]);
  expect(pieces.map((piece) => piece.line)).toEqual([1, 2, 4, 4]);
});

test("an element over the limit is counted and not held", () => {
  // "aaaaaaaaaa" is 12 bytes with its quotes.
  expect(split('["aaaaaaaaaa",1]', ["*"], [4, 7], 11)).toEqual([
    { kind: "too-long", length: 12, line: 1 },
    { kind: "element", bytes: Buffer.from("1"), line: 1 },
  ]);
});

test("a cut-off file and a wrong bracket are faults with their line", () => {
  expect(() => split('[1,\n{"a":', ["*"])).toThrow(
    new JsonStructureError("the file ends inside a JSON value; it is cut off.", 2, true),
  );
  expect(() => split("[1,\n2}", ["*"])).toThrow("a closing bracket does not match.");
});
