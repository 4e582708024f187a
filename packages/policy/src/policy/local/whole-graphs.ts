/** One graph for everything that is asked of a model, with the weights as its inputs. */
import type { Program, ProgramOptions } from "../../graph/program.ts";
import { decodeGraph, type DecodeShape } from "./decode-graph.ts";
import type { AttentionCounts } from "./sampler-options.ts";
import type { ModelConfig } from "./model-config.ts";
import { createPrograms, type Made } from "./programs.ts";
import { backwardGraph, scoreGraph, type StatisticsShape } from "./statistics-graph.ts";

/** The programs of a model, by what is asked of it. */
export interface Graphs {
  decode(shape: DecodeShape): Promise<Program>;
  score(shape: StatisticsShape): Promise<Program>;
  backward(shape: StatisticsShape): Promise<Program>;
  close(): Promise<void>;
  /** What attention that scores few keys came to, where there is some. */
  readonly attention?: AttentionCounts;
  /** What making them has cost, where it is known. */
  readonly made?: Readonly<Made>;
}

export function wholeGraphs(form: ModelConfig, options: ProgramOptions): Graphs {
  const programs = createPrograms(options);
  return {
    decode: (shape) => programs.get(`decode ${JSON.stringify(shape)}`, () => decodeGraph(form, shape)),
    score: (shape) => programs.get(`score ${JSON.stringify(shape)}`, () => scoreGraph(form, shape)),
    backward: (shape) =>
      programs.get(`backward ${JSON.stringify(shape)}`, () => backwardGraph(form, shape), { frugal: true }),
    close: () => programs.close(),
    made: programs.made,
  };
}
