import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { research } from "./index.ts";
import { loadCorpus, loadQuestions } from "./load.ts";
import { measureRecall } from "./recall.ts";
import { bm25Retriever } from "./retriever.ts";

describe("questions", () => {
  test("are read from an array and from lines, in the forms of their publishers", () => {
    const hotpot = {
      _id: "h1",
      question: "Who?",
      answer: "Ann",
      supporting_facts: [
        ["T", 0],
        ["T", 2],
        ["U", 1],
      ],
    };
    expect(loadQuestions(JSON.stringify([hotpot]))).toEqual([
      { id: "h1", question: "Who?", answers: ["Ann"], support: ["T", "U"] },
    ]);
    const musique = { id: "m1", question: "Who?", answer: "Ann", answer_aliases: ["Anna"] };
    const natural = { question: "When?", answer: ["1901", "in 1901"] };
    const lines = `${JSON.stringify(musique)}\n\n${JSON.stringify(natural)}\n`;
    expect(loadQuestions(lines).map(({ id, answers }) => [id, answers])).toEqual([
      ["m1", ["Ann", "Anna"]],
      ["1", ["1901", "in 1901"]],
    ]);
  });

  test.each([
    ["", "it is empty"],
    ["not json", "line 1 cannot be used: it is not JSON"],
    ["[1", "it is not JSON"],
    ['[{"question": "Who?"}]', "question 1 cannot be used: it has no answer"],
    ['[{"answer": "x"}]', "question"],
    ['[{"question": "Who?", "answer": 3}]', "answer"],
    ['[{"id": 1, "question": "a", "answer": "b"}, {"id": "1", "question": "c", "answer": "d"}]', '"1" twice'],
  ])("%j is refused", (text, why) => {
    expect(() => loadQuestions(text, "file.json")).toThrow(why);
    expect(() => loadQuestions(text, "file.json")).toThrow("file.json");
  });
});

describe("corpora", () => {
  test("are read in three forms", () => {
    const titled = '{"A \\"x\\"": ["One.", " Two."],\n "B": []}';
    expect(loadCorpus(titled)).toEqual([
      { id: 'A "x"', contents: '"A "x""\nOne. Two.' },
      { id: "B", contents: '"B"\n' },
    ]);
    expect(loadCorpus('[{"title": "A", "text": "One."}, {"title": "A", "text": "Two."}]')).toEqual([
      { id: "0", contents: '"A"\nOne.' },
      { id: "1", contents: '"A"\nTwo.' },
    ]);
    expect(loadCorpus('{"id": "7", "contents": "c"}\n{"id": 8, "contents": "d"}')).toEqual([
      { id: "7", contents: "c" },
      { id: "8", contents: "d" },
    ]);
    expect(loadCorpus('{"id": "7", "contents": "c"}')).toEqual([{ id: "7", contents: "c" }]);
  });

  test.each([
    ['{"A": ["x"], "B": ["y"], "A": ["z"]}', 'passage id "A" twice'],
    ['{"A": ["{\\"B\\": 1}"], "\\u0041": ["z"]}', 'passage id "A" twice'],
    ['{"id": "7", "contents": "c"}\n{"id": 7, "contents": "d"}', 'passage id "7" twice'],
    ["", "it is empty"],
    ["{}", "it holds no passages"],
    ["[]", "it holds no passages"],
    ['{"A": "text"}', "cannot be used"],
    ['{"A": ["x"]', "it is not JSON"],
    ['[{"title": "A"}]', "passage 1 cannot be used: expected {id, contents} or {title, text}"],
    ['[{"contents": "c"}]', "expected {id, contents}"],
  ])("%j is refused", (text, why) => {
    expect(() => loadCorpus(text, "file.json")).toThrow(why);
    expect(() => loadCorpus(text, "file.json")).toThrow("file.json");
  });

  test("a retriever refuses repeated ids", () => {
    const passage = { id: "p", contents: "x" };
    expect(() => bm25Retriever([passage, passage])).toThrow('passage id "p" twice');
  });
});

test("a world is built from files given as options", async () => {
  const folder = mkdtempSync(join(tmpdir(), "limbeck-research-"));
  try {
    const [questions, corpus] = [join(folder, "questions.json"), join(folder, "corpus.json")];
    writeFileSync(questions, '[{"question": "Who?", "answer": "Ann"}]');
    writeFileSync(corpus, '{"Ann": ["Who is Ann."]}');
    const env = await research.create({ questions, corpus });
    expect(env.splits).toEqual({ all: 1 });
    await expect(research.create({ questions })).rejects.toThrow("corpus of research is missing");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const data = new URL("../../../../../shared/data/qa/", import.meta.url);
const dataThere = existsSync(new URL("hotpotqa_train.json", data));

test.skipIf(!dataThere)("HotpotQA: 100 questions over 994 passages (needs ../shared/data/qa)", async () => {
  const questions = loadQuestions(readFileSync(new URL("hotpotqa_train.json", data), "utf8"));
  const passages = loadCorpus(readFileSync(new URL("hotpotqa_train_corpus.json", data), "utf8"));
  expect([questions.length, passages.length]).toEqual([100, 994]);
  const ids = new Set(passages.map((passage) => passage.id));
  expect(questions.every(({ support }) => support.length >= 2 && support.every((id) => ids.has(id)))).toBe(true);
  // Measured, and exact because the index is: a change of index or tokeniser shows here.
  const retriever = bm25Retriever(passages);
  expect(await measureRecall(retriever, questions, 3)).toEqual({ topk: 3, share: 0.675, complete: 0.42 });
  expect(await measureRecall(retriever, questions, 10)).toEqual({ topk: 10, share: 0.895, complete: 0.8 });
});
