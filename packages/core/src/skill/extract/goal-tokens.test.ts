import { expect, test } from "vitest";
import { goalText, piecesOf } from "./goal-tokens.ts";

/** Words and signs as they are, values as kind:value. "Cart.total" might be a file; that it is a value is what counts. */
const read = (goal: string): string =>
  piecesOf(goalText(goal))
    .map(({ kind, value }) => (kind === "word" || kind === "sign" ? value : `<${kind}:${value}>`))
    .join(" ");

test.each([
  ["Fix src/cart.ts.", "Fix <path:src/cart.ts> ."],
  ["See C:\\shop\\a.ts:42, ./b/c.py and ~/d.", "See <path:C:\\shop\\a.ts:42> , <path:./b/c.py> and <path:~/d> ."],
  ["Add app/[slug]/page.tsx and src/**/*.ts", "Add <path:app/[slug]/page.tsx> and <path:src/**/*.ts>"],
  ["see package.json and .env.local. Then", "see <path:package.json> and <path:.env.local> . Then"],
  ["and/or, e.g. this", "and/or , e.g . this"],
  ["Rename `a b` to parse_date()", "Rename <code:a b> to <symbol:parse_date>"],
  ["Mail [redacted email] about #12", "Mail <mark:[redacted email]> about <number:12>"],
  ["ann@example.org (https://x.org/q_(r)?b=1).", "<email:ann@example.org> ( <url:https://x.org/q_(r)?b=1> ) ."],
  ["Don't use 'foo bar', it's \"bad\"", "Don't use <quoted:foo bar> , it's <quoted:bad>"],
  ["from 4.17.20 to ^4.17.21 and v2", "from <number:4.17.20> to <number:^4.17.21> and <number:v2>"],
  [
    "the getUserById of Cart.total with --dry-run",
    "the <symbol:getUserById> of <path:Cart.total> with <symbol:--dry-run>",
  ],
  ["l’erreur d’src/größe.ts « Panier vide »", "l’erreur d ’ <path:src/größe.ts> <quoted:Panier vide>"],
  ["src/cart.ts를 고쳐", "<path:src/cart.ts> 를 고쳐"],
  ["修复src/cart.ts「合计」", "修复 <path:src/cart.ts> <quoted:合计>"],
])("%s", (goal, pieces) => expect(read(goal)).toBe(pieces));

test("a dense script is cut into words, an accent has one form, a long goal is its beginning", () => {
  expect(piecesOf("テストを直して").length).toBeGreaterThan(2);
  expect(goalText("e\u0301te\u0301   a\n b")).toBe("été a b");
  expect(goalText("a".repeat(1000))).toHaveLength(300);
});

test("values stand where they say, whatever the text", () => {
  const text = goalText("“Go” to `a.b` or #7 at x() — 'y z' «q»!");
  for (const { value, start, end } of piecesOf(text)) expect(text.slice(start, end)).toBe(value);
});
