/** Builds the research environment from plain options, as a command line or a recipe file gives them. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import { plainText } from "limbeck-base/base/plain-file";
import { withInvalidActionPenalty } from "limbeck-core/env/with-invalid-action-penalty";
import { defineWorld } from "limbeck-core/env/world";
import { expert, impatient, literal } from "./demonstrators.ts";
import { httpRetriever } from "./http-retriever.ts";
import { loadCorpus, loadQuestions } from "./load.ts";
import { createResearch, type ResearchOptions } from "./research.ts";
import { bm25Retriever } from "./retriever.ts";
import { createResearchWorld, worldSizes } from "./world/world.ts";

/** What OPID takes off for a reply that breaks the form, in this world. */
const OPID_PENALTY = 0.01;

const count = { least: 1, whole: true } as const;
const sizes = Object.keys(worldSizes) as (keyof typeof worldSizes)[];

const options = {
  seed: option.number(1, "seed of the generated world", { whole: true }),
  size: option.choice("small", sizes, "size of the generated world"),
  hops: option.list([1, 2], { kind: "number", ...count, most: 4 }, "passages a generated question may join", 1),
  questions: option.text(
    null,
    "file of questions to ask instead of generated ones (HotpotQA, MuSiQue or Search-R1 form)",
  ),
  corpus: option.text(null, "file of passages that goes with `questions`"),
  retriever: option.text(null, "address of an HTTP retriever, instead of searching the corpus in this process"),
  timeoutMs: option.number(30_000, "time limit of one request to the HTTP retriever", count),
  maxTurns: option.number(4, "turns of an episode, the answer included", count),
  topk: option.number(2, "passages a search shows", count),
  preset: {
    kind: "choice",
    default: null,
    choices: ["opid"],
    meaning: "opid: question alone as opening, malformed replies carried out at a penalty of 0.01",
  },
} as const satisfies DeepTable;

type Values = OptionValues<typeof options>;

export const research = defineWorld({
  id: "research",
  info: { title: "Research", meaning: "Multi-hop questions answered by searching passages (Search-R1 episodes)." },
  options,
  addresses: ["retriever"],
  create: async (values) => {
    const { maxTurns, topk, preset } = values;
    const source = values.questions === null ? generated(values) : await fromFiles(values, values.questions);
    if (preset === null) return createResearch({ ...source, maxTurns, topk });
    const env = createResearch({ ...source, maxTurns, topk, malformed: "act", guide: false });
    return withInvalidActionPenalty(env, OPID_PENALTY);
  },
  demonstrators: { expert, impatient, literal },
});

/** The last one, since it never changes, takes a second to draw, and is mostly opened again. */
let drawn: { readonly corpus: string; readonly world: ReturnType<typeof createResearchWorld> } | undefined;

type Source = Pick<ResearchOptions, "retriever" | "questions" | "corpus">;

function generated({ seed, size, hops: asked, ...values }: Values): Source {
  const hops = [...new Set(asked)].sort((one, other) => one - other);
  const corpus = `generated-${size}-${seed}-${hops.join("")}`;
  if (drawn?.corpus !== corpus) drawn = { corpus, world: createResearchWorld(seed, worldSizes[size], hops) };
  const { world } = drawn;
  return { retriever: remote(values) ?? world.retriever, questions: world.questions, corpus };
}

async function fromFiles({ corpus, ...values }: Values, path: string): Promise<Source> {
  const questions = loadQuestions(await plainText(path), path);
  let retriever = remote(values);
  if (retriever === undefined) {
    if (corpus === null) {
      throw new EngineError("bad-option", "Option corpus of research is missing; give a passage file, or `retriever`.");
    }
    retriever = bm25Retriever(loadCorpus(await plainText(corpus), corpus));
  }
  return { retriever, questions: { all: questions }, corpus: "files" };
}

function remote({ retriever: url, timeoutMs }: Pick<Values, "retriever" | "timeoutMs">) {
  return url === null ? undefined : httpRetriever({ url, timeoutMs });
}
