/** Builds the research environment from plain options, as a command line or a recipe file gives them. */
import { readFile } from "node:fs/promises";
import { EngineError, lookUp } from "../../base/index.ts";
import type { Env } from "../env.ts";
import { withInvalidActionPenalty } from "../with-invalid-action-penalty.ts";
import type { World, WorldOptions } from "../world.ts";
import { expert, impatient, literal } from "./demonstrators.ts";
import { httpRetriever } from "./http-retriever.ts";
import { loadCorpus, loadQuestions } from "./load.ts";
import { createResearch, type ResearchOptions } from "./research.ts";
import { bm25Retriever } from "./retriever.ts";
import { createResearchWorld, worldSizes, type WorldSize } from "./world/world.ts";

/** What OPID takes off for a reply that breaks the form, in this world. */
const OPID_PENALTY = 0.01;

export const research: World = {
  summary: "Multi-hop questions answered by searching passages (Search-R1 episodes).",
  options: {
    seed: "seed of the generated world; 1",
    size: `size of the generated world: ${Object.keys(worldSizes).join(", ")}; small`,
    hops: "passages a generated question may join, a list out of 1, 2, 3, 4; all of them",
    questions: "file of questions to ask instead of generated ones (HotpotQA, MuSiQue or Search-R1 form)",
    corpus: "file of passages that goes with `questions`",
    retriever: "address of an HTTP retriever, instead of searching the corpus in this process",
    timeoutMs: "time limit of one request to the HTTP retriever; 30000",
    maxTurns: "turns of an episode, the answer included; 4",
    topk: "passages a search shows; 3",
    preset: "opid: question alone as opening, malformed replies carried out at a penalty of 0.01",
  },
  addresses: ["retriever"],
  create: (options = {}) => createFromOptions(options),
  demonstrators: { expert, impatient, literal },
};

async function createFromOptions(options: WorldOptions): Promise<Env> {
  const maxTurns = numberOption(options, "maxTurns");
  const topk = numberOption(options, "topk");
  const preset = textOption(options, "preset");
  const rules = {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(topk === undefined ? {} : { topk }),
    ...(preset === undefined ? {} : lookUp(presets, preset, "research preset")),
  };
  const source = options["questions"] === undefined ? generated(options) : await fromFiles(options);
  const env = createResearch({ ...source, ...rules });
  return preset === undefined ? env : withInvalidActionPenalty(env, OPID_PENALTY);
}

const presets = { opid: { malformed: "act", guide: false } } as const satisfies Record<
  string,
  Partial<ResearchOptions>
>;

type Source = Pick<ResearchOptions, "retriever" | "questions" | "corpus">;

function generated(options: WorldOptions): Source {
  const seed = numberOption(options, "seed") ?? 1;
  const size = textOption(options, "size") ?? "small";
  const hops = hopsOption(options);
  const world = createResearchWorld(seed, lookUp<WorldSize>(worldSizes, size, "research size"), hops);
  const corpus = `generated-${size}-${seed}-${hops.join("")}`;
  return { retriever: remote(options) ?? world.retriever, questions: world.questions, corpus };
}

async function fromFiles(options: WorldOptions): Promise<Source> {
  const questionsPath = textOption(options, "questions") ?? "";
  const corpusPath = textOption(options, "corpus");
  const questions = loadQuestions(await readFile(questionsPath, "utf8"), questionsPath);
  let retriever = remote(options);
  if (retriever === undefined) {
    if (corpusPath === undefined) throw badOption("corpus", "is missing; give a passage file, or `retriever`");
    retriever = bm25Retriever(loadCorpus(await readFile(corpusPath, "utf8"), corpusPath));
  }
  return { retriever, questions: { all: questions }, corpus: "files" };
}

function remote(options: WorldOptions) {
  const url = textOption(options, "retriever");
  const timeoutMs = numberOption(options, "timeoutMs");
  return url === undefined ? undefined : httpRetriever({ url, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

function hopsOption(options: WorldOptions): number[] {
  const value = options["hops"] ?? [1, 2, 3, 4];
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [value];
  const hops = [...new Set(list.map(Number))].sort((one, other) => one - other);
  if (hops.length === 0 || !hops.every((hop) => [1, 2, 3, 4].includes(hop))) {
    throw badOption("hops", `is ${JSON.stringify(value)}; it must list numbers out of 1, 2, 3, 4`);
  }
  return hops;
}

function numberOption(options: WorldOptions, name: string): number | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw badOption(name, `is ${JSON.stringify(value)}; it must be a whole number`);
}

function textOption(options: WorldOptions, name: string): string | undefined {
  const value = options[name];
  if (value === undefined || typeof value === "string") return value;
  throw badOption(name, `is ${JSON.stringify(value)}; it must be a text`);
}

function badOption(name: string, what: string): EngineError {
  return new EngineError("bad-option", `Research option ${name} ${what}.`, { details: { option: name } });
}
