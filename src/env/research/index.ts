/** Research: questions answered by searching passages; the Search-R1 episode over a generated world or given files. */
export { research } from "./create.ts";
export { demonstrate, expert, impatient, literal, readInformation } from "./demonstrators.ts";
export { httpRetriever, type HttpRetrieverOptions, type RetrieverClock } from "./http-retriever.ts";
export { loadCorpus, loadQuestions, type Question } from "./load.ts";
export { matchesAnswer } from "./normalise.ts";
export { createResearch, type ResearchOptions } from "./research.ts";
export { bm25Retriever, type LocalRetriever, type Passage, type Retriever } from "./retriever.ts";
export type { ReadFact } from "./world/sentences.ts";
