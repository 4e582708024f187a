/** Skill: what finished episodes teach, in words, with the steps each lesson rests on, and the library that keeps it. */
import type { EntryInfo } from "limbeck-base/base/method-info";
import type { OptionTable } from "limbeck-base/base/option-table";
import { createModelAnalyst, modelAnalystOptions } from "./model/model.ts";
import { createStatisticsAnalyst, statisticsOptions } from "./statistics/statistics.ts";

/** Analysts by id. */
export const analysts = {
  model: {
    info: { title: "A chat model", meaning: "Asks a model what an episode teaches, and where." },
    options: modelAnalystOptions,
    create: createModelAnalyst,
  },
  statistics: {
    info: { title: "Statistics", meaning: "Writes down what a group of episodes of one task shows by itself." },
    options: statisticsOptions,
    create: createStatisticsAnalyst,
  },
} as const satisfies Record<
  string,
  { readonly info: EntryInfo; readonly options: OptionTable; readonly create: unknown }
>;
