import fc from "fast-check";
import { expect, test } from "vitest";
import { furtherSecrets, secretCorpus } from "../../../test/support/secrets.ts";
import { compileLinear } from "./linear-pattern.ts";
import { createRedactor } from "./redact.ts";

const matches = (source: string, flags: string, text: string): [number, number][] => {
  const pattern = compileLinear(source, flags);
  const budget = { steps: 1e7 };
  const found: [number, number][] = [];
  for (let match = pattern.find(text, 0, budget); match !== undefined; match = pattern.find(text, match[1], budget)) {
    found.push([...match]);
  }
  return found;
};

test("finds the leftmost and of those the longest match, never an empty one", () => {
  // "aab": a+ takes both; "ab|abcd" takes the longer option, where a backtracking engine takes the first.
  expect(matches("a+", "", "xaabxa")).toEqual([
    [1, 3],
    [5, 6],
  ]);
  expect(matches("ab|abcd", "", "zabcd")).toEqual([[1, 5]]);
  expect(matches("a*", "", "baab")).toEqual([[1, 3]]);
  expect(matches("[^\\d\\s]{2,3}", "", "ab1 cdef")).toEqual([
    [0, 2],
    [4, 7],
  ]);
  expect(matches("\\bcat\\b", "i", "Cat concat CAT")).toEqual([
    [0, 3],
    [11, 14],
  ]);
  expect(matches("^b.$", "m", "a\nbc\nb")).toEqual([[2, 4]]);
  expect(matches("(?:x|(?<name>y))\\.\\u0041", "", "y.A")).toEqual([[0, 3]]);
});

test("agrees with the built-in engine where both mean the same", () => {
  // Without choices between options of different length, longest and first-found are one.
  const atom = fc.constantFrom("a", "b", "[ab]", "[^a]", ".", "\\w", "\\d", "(?:ab)", "\\s", "\\b");
  const piece = fc
    .tuple(atom, fc.constantFrom("", "", "+", "{2}", "{1,3}"))
    .map(([what, often]) => (what === "\\b" ? what : what + often));
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom("a", "b", " ", "1", "\n", "é"), maxLength: 30 }),
      (pieces, text) => {
        const source = pieces.join("");
        // Where a shorter start leads further the two may differ in length, so only "is there a match, and where" is compared.
        const native = new RegExp(source).exec(text);
        const own = matches(source, "", text)[0];
        if (native !== null && native[0] === "") return;
        expect(own?.[0]).toBe(native?.index);
      },
    ),
  );
});

test.each([
  "(a)\\1",
  "(?=a)b",
  "(?<!a)b",
  "\\k<x>",
  "a{2000}",
  "(a",
  "a)",
  "[a",
  "*a",
  "\\p{L}",
  "(((a{500}){500}){9})",
])("refuses %s by name", (source) => expect(() => createRedactor({ patterns: [source] })).toThrow(SyntaxError));

test("a catastrophic pattern cannot block: its text is searched in bounded steps or left out", () => {
  const redactor = createRedactor({ patterns: ["(a+)+$", "(a|a)*b", "([a-zA-Z]+)*!x", "(x+x+)+y"] });
  expect(redactor.text(`${"a".repeat(40)}!`)).toBe(`${"a".repeat(40)}!`);
  expect(redactor.text("x".repeat(200_000))).toMatch(/^(x+|\[left out: pattern \d takes too long on this text\])$/);
  // Looks ahead to the end again from every letter: the budget ends it, and nothing of the text stays.
  const greedy = createRedactor({ patterns: ["a.*b|a"] });
  expect(greedy.text("a".repeat(100_000))).toBe("[left out: pattern 1 takes too long on this text]");
});

test("every planted secret is gone, and what stands around it stays", () => {
  const redactor = createRedactor({ patterns: [/CUST-\d{6}/i, "patient \\w+"], literals: ["literal-in-use"] });
  for (const { secret, text } of secretCorpus) {
    const clean = redactor.text(`before ${text} after`);
    expect({ secret, kept: clean.includes(secret) }).toEqual({ secret, kept: false });
    expect(clean.startsWith("before ") && clean.endsWith(" after")).toBe(true);
  }
});

test("of a hundred further kinds of secret at least 97 in 100 are stopped, in texts and in fields", () => {
  const redactor = createRedactor();
  expect(furtherSecrets.length).toBeGreaterThanOrEqual(100);
  const missed = furtherSecrets.filter(({ secret, text }) => redactor.text(`before ${text} after`).includes(secret));
  expect(missed.map(({ text }) => text)).toEqual([]);
  for (const { text } of furtherSecrets) expect(redactor.text(`before ${text}`).startsWith("before ")).toBe(true);
});

test("what models and worlds say of tokens stays", () => {
  const redactor = createRedactor();
  const value = {
    token: "hello",
    tokens: [1, 2],
    auth: "none",
    session: "first session of the day",
    cookie: "a cookie",
  };
  expect(redactor.json(value)).toEqual(value);
  for (const text of [
    '{"token": " the", "logprob": -0.5}',
    "token: 15496, next_token=318",
    "Authorization: none needed",
    "cookie=chocolate and session: morning",
    "run --token-limit 4096 --pass 2",
  ]) {
    expect(redactor.text(text)).toBe(text);
  }
});

test("ordinary text stays as it is", () => {
  const redactor = createRedactor({ patterns: [/CUST-\d{6}/] });
  for (const text of [
    "Ask the basic question; the task-oriented answer is at 12:30 @ home, e.g. a@b or @user.",
    'const risk-free = skip-this; {"max_tokens": 4096, "tokens": [1, 2], "keyboard": "qwerty"}',
    "https://example.com/path?page=2 and git@ alone, 1234567890 and sk-short",
    "The secret of the sauce is time. password reset, key: value",
  ]) {
    expect(redactor.text(text)).toBe(text);
  }
});

test("values of fields with a telling name go, whatever they look like; ids stay apart", () => {
  const redactor = createRedactor();
  expect(
    redactor.json({ password: "hunter2", nested: [{ apiKey: "abc", user: "bob" }], "bob@example.com": 1, tokens: 3 }),
  ).toEqual({
    password: "[redacted secret]",
    nested: [{ apiKey: "[redacted secret]", user: "bob" }],
    "[redacted email]": 1,
    tokens: 3,
  });
  const [one, two] = ["bob@example.com", "eve@example.com"].map((id) => redactor.id(id));
  expect(one).toMatch(/^redacted-[0-9a-f]{16}$/);
  expect(one).not.toBe(two);
  expect(redactor.id("run-7")).toBe("run-7");
});
