/** Points the cases at a server and says how it stands to each. Green: every required case passes. */
import { type CaseRunOptions, type CaseResult, checkCaseNames, runCases } from "limbeck-base/base/conformance";
import { createHttp, type TinkerAddress } from "../http.ts";
import { chooseModel, readProfile } from "../client.ts";
import { createBench, type TinkerCases } from "./bench.ts";
import { lossCases, samplingCases } from "./cases/losses.ts";
import { modelCases, serviceCases } from "./cases/models.ts";
import { weightsCases } from "./cases/weights.ts";

export const tinkerCases: TinkerCases = {
  ...serviceCases,
  ...modelCases,
  ...lossCases,
  ...weightsCases,
  ...samplingCases,
};

export interface ConformanceOptions extends TinkerAddress, CaseRunOptions {
  /** Which of the server's base models. Default: the only one. */
  readonly baseModel?: string | undefined;
  /** Of the adapters that the cases make. Default: 4. */
  readonly rank?: number;
  /** Between two signs of life of the session. Default: 10 s. */
  readonly heartbeatMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ConformanceReport {
  readonly green: boolean;
  readonly baseModel: string;
  readonly results: readonly CaseResult[];
}

/**
 * Tries the cases on a server. `green`: every required one passes.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel } from "limbeck/local";
 * import { startTrainer } from "limbeck/serve";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-trainer-"));
 * const trainer = await startTrainer({ model: bundledModel("household"), checkpoints: folder });
 * const { results } = await checkTinkerServer({ url: trainer.url, only: ["health"] });
 * console.log(results.map(({ name, outcome }) => `${name} ${outcome}`)); // [ "health passes" ]
 * await trainer.close();
 * rmSync(folder, { recursive: true });
 */
export async function checkTinkerServer(options: ConformanceOptions): Promise<ConformanceReport> {
  const { rank = 4, only, onResult, signal } = options;
  checkCaseNames(tinkerCases, only);
  const http = createHttp(options, { attempts: 3, busyAttempts: 0 });
  const profile = await readProfile(http, signal);
  const baseModel = chooseModel(profile, options.baseModel, http.address);
  const bench = createBench({ ...options, baseModel, rank });
  try {
    const { green, results } = await runCases(tinkerCases, bench, { only, onResult });
    return { green, baseModel, results };
  } finally {
    bench.close();
  }
}
