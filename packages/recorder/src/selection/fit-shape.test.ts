import { expect, test } from "vitest";
import { fillPlaces, fitReader, fitShape } from "./fit-shape.ts";

test("a shape reads goals of its kind, the shortest words first", () => {
  expect(fitShape("put a hot {1} in {2}.", "Put a  hot egg in desk.")).toEqual(["egg", "desk"]);
  expect(fitShape("put a hot {1} in {2}.", "put a hot egg in the desk.")).toBeUndefined();
  expect(fitShape("{1},{2}", "a,b,c")).toEqual(["a", "b,c"]);
  expect(fitShape("{1} and {1}", "egg and egg")).toEqual(["egg"]);
  expect(fitShape("{1} and {1}", "egg and mug")).toBeUndefined();
  expect(fitShape("look", " look ")).toEqual([]);
  expect(fitShape("{1}!", "😀!")).toEqual(["😀"]);
  // With a full stop or without, and whichever way an accent is written.
  expect(fitShape("put a hot {1} in {2}.", "put a hot egg in desk")).toEqual(["egg", "desk"]);
  expect(fitShape("Fix {1}", "Fix src/cart.ts.")).toEqual(["src/cart.ts"]);
  expect(fitShape("Préparez {1}", "Pre\u0301parez tout.")).toEqual(["tout"]);
});

test("a goal that does not fit is left in time, however many places there are", () => {
  const places = Array.from({ length: 40 }, (_, at) => `{${at + 1}}`).join(",");
  const list = Array.from({ length: 120 }, () => "a").join(",");
  expect(fitShape(`${places}!`, `${list}?`)).toBeUndefined();
  expect(fitShape(`${places}?`, `${list}?`)).toHaveLength(40);
});

test("a mark is a place: of a shape for a live goal, and in a goal for a place of a shape", () => {
  const learnt = "Refund the order of [redacted email], please";
  expect(fitShape(learnt, "Refund the order of ann@example.org, please")).toEqual([]);
  expect(fitShape(learnt, "Refund the order of [redacted email], please")).toEqual([]);
  expect(fitShape(learnt, "Cancel the order of ann@example.org, please")).toBeUndefined();
  expect(fitShape("Refund the order of {1}, please", learnt)).toEqual(["[redacted email]"]);
  // A shape that was learnt without redaction, and a goal with it.
  expect(fitShape("Refund the order of ann@example.org, please", learnt)).toEqual([]);
  expect(fitShape("Log in with key=[redacted key]", "Log in with key=sk-1234567890abcdef")).toEqual([]);
  expect(fitShape("Move {1} of [redacted email] to {2}", "Move it of a@b.example to trash")).toEqual(["it", "trash"]);
  // What a pattern of one's own took out may have had spaces.
  expect(fitShape("Close [redacted pattern 1] now", "Close case 42 now")).toEqual([]);
  expect(fitShape("Close [redacted email] now", "Close case 42 now")).toBeUndefined();
});

test("what stood in place of a mark stands in the text; a mark for two different things stays a mark", () => {
  const said = (shape: string, goal: string, text: string): string | undefined => {
    const fit = fitReader(shape)(goal);
    return fit && fillPlaces(text, fit.values, fit.marks);
  };
  const text = "Look up [redacted email] for {1}.";
  expect(said("Write [redacted email] about {1}", "Write a@b.example about tea", text)).toBe(
    "Look up a@b.example for tea.",
  );
  expect(said("Write [redacted email] about {1}", "Write [redacted email] about tea", text)).toBe(
    "Look up [redacted email] for tea.",
  );
  const two = "Move {1} from [redacted email] to [redacted email]";
  expect(said(two, "Move it from a@b.example to c@d.example", text)).toBe("Look up [redacted email] for it.");
  expect(fillPlaces("heat the {1}, then the {3}", ["egg"])).toBe("heat the egg, then the it");
});

test("a place takes a path, code, or what stands in quotes", () => {
  const fix = "Fix {1} so that its test passes";
  for (const thing of [
    "src/cart.ts",
    "C:\\work\\cart.ts",
    "./a-b/c_d.test.tsx:12",
    "`a ?? b`",
    '"the cart"',
    "«le café»",
  ]) {
    expect(fitShape(fix, `Fix ${thing} so that its test passes`)).toEqual([thing]);
  }
  expect(fitShape(fix, "Fix the cart so that its test passes")).toBeUndefined();
  expect(fitShape('Rename "{1}" to "{2}"', 'Rename "old name" to "new"')).toEqual(["old name", "new"]);
  expect(fitShape('Open "{1}.ts"', 'Open "my file.ts"')).toEqual(["my file"]);
  expect(fitShape("Say {1} to {2}", "Say 'don't go' to Ann")).toEqual(["'don't go'", "Ann"]);
  expect(fitShape("Say {1}", 'Say "never closed')).toBeUndefined();
  expect(fitShape("Ouvre « {1} » ici", "Ouvre « code postal » ici")).toEqual(["code postal"]);
  expect(fitShape("Ouvre {1} ici", "Ouvre « code postal » ici")).toEqual(["« code postal »"]);
});

test("of a long goal the shape is the beginning, whatever the length of its words", () => {
  const rest = "and keep to the rules of the house, ".repeat(10);
  const shape = `Refund [redacted email] ${rest}`.slice(0, 300).trim();
  expect(fitShape(shape, `Refund a@b.example ${rest} now`)).toEqual([]);
  expect(fitShape(shape, `Refund ann.of.the.long.name@mail.example.org ${rest} later`)).toEqual([]);
  expect(fitShape("Refund {1}", `Refund a@b.example ${rest}`)).toBeUndefined();
});
