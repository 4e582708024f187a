/** Scripted clerks: they read the words of the order and of the schema, and nothing else. */
import { pick, type Rng } from "limbeck-base/base/rng";
import type { Json } from "limbeck-base/base/json";
import type { Demonstrator } from "limbeck-core/env/expert";
import { readWording } from "limbeck-core/env/wording";
import { emitWords, fieldTypes, type FieldName } from "./order.ts";

export const expert = clerk("expert", "Reads every sentence and writes what was asked for.", (message, asked) =>
  JSON.stringify(Object.fromEntries(asked.map((field) => [field, readField(field, message)]))),
);

export const sloppy = clerk(
  "sloppy",
  "Has the values right, and now and then forgets a bracket, or writes a sentence before them.",
  (message, asked, rng) => {
    const text = JSON.stringify(Object.fromEntries(asked.map((field) => [field, readField(field, message)])));
    const slip = rng.int(3);
    return slip === 0 ? text : slip === 1 ? text.slice(0, -1) : `Here it is: ${text}`;
  },
);

export const random = clerk("random", "Keeps the form, with any values.", (_message, asked, rng) =>
  JSON.stringify(Object.fromEntries(asked.map((field) => [field, anyValue(field, rng)]))),
);

type Write = (message: string, asked: readonly FieldName[], rng: Rng) => string;

function clerk(id: string, summary: string, write: Write): Demonstrator {
  return {
    id,
    summary,
    start: ({ goal }, rng) => ({
      next: () => {
        const [, message = "", schema = ""] = /^Order: (.*)\nSchema: (.*)$/.exec(goal) ?? [];
        const names = [...schema.matchAll(/"(\w+)":/g)].map(([, name = ""]) => name);
        return write(
          message,
          names.filter((name): name is FieldName => Object.hasOwn(fieldTypes, name)),
          rng,
        );
      },
    }),
  };
}

/** What the order says of a field; null where it says nothing. */
function readField(field: FieldName, message: string): Json {
  const { sentences, numbers } = emitWords();
  const said = message.split(/(?<=\.) /);
  const read = (wordings: readonly string[]): Readonly<Record<string, string>> | undefined =>
    said
      .flatMap((sentence) => wordings.map((wording) => readWording(wording, sentence)))
      .find((found) => found !== undefined);
  if (field === "paid") return read(sentences.paid.true) ? true : read(sentences.paid.false) ? false : null;
  const found = read(sentences[field]);
  if (found === undefined) return null;
  if (field === "stops") return [found["first"] ?? "", found["second"] ?? ""];
  const value = found[field] ?? "";
  if (field !== "count") return value;
  const word = numbers.indexOf(value.toLowerCase());
  return word < 0 ? Number(value) : word + 1;
}

function anyValue(field: FieldName, rng: Rng): Json {
  const { goods, towns, names, ways, numbers } = emitWords();
  const one = (list: readonly string[]): string => pick(list, rng) as string;
  if (field === "paid") return rng.float() < 0.5;
  if (field === "count") return 1 + rng.int(numbers.length);
  if (field === "stops") return [one(towns), one(towns)];
  return one({ item: goods, place: towns, by: ways, name: names }[field]);
}
