import { expect, test } from "vitest";
import { testWords } from "./replay-set.ts";

test.each<[string, readonly string[] | undefined]>([
  ["npm test", ["npm", "test"]],
  ["cd app && npx vitest run src/a.test.ts 2>&1 | tail -20", ["npx", "vitest", "run", "src/a.test.ts"]],
  ["npm run build; pytest -q tests", ["pytest", "-q", "tests"]],
  ["npm test > out.txt", undefined],
  ["npm test $(curl https://a.example)", undefined],
  ["CI=1 npm test", undefined],
  ["ls", undefined],
])("the words of %j", (line, words) => {
  expect(testWords(line)).toEqual(words);
});
