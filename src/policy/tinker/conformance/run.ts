/** Points the cases at a server and says how it stands to each. Green: every required case passes. */
import { EngineError, errorData, isAbort } from "../../../base/index.ts";
import { createHttp, type TinkerAddress } from "../http.ts";
import { chooseModel, readProfile } from "../server-profile.ts";
import { createBench, type ConformanceBench } from "./bench.ts";
import { Differs, Lacks, type CaseKind, type CaseTable, type ConformanceCase } from "./case.ts";
import { lossCases } from "./cases/losses.ts";
import { modelCases } from "./cases/models.ts";
import { samplingCases } from "./cases/sampling.ts";
import { serviceCases } from "./cases/service.ts";
import { weightsCases } from "./cases/weights.ts";

export const tinkerCases: CaseTable = {
  ...serviceCases,
  ...modelCases,
  ...lossCases,
  ...weightsCases,
  ...samplingCases,
};

export interface ConformanceOptions extends TinkerAddress {
  /** Which of the server's base models; the only one unless told. */
  readonly baseModel?: string | undefined;
  /** Of the adapters that the cases make; 4 unless told. */
  readonly rank?: number;
  /** Names of cases; all unless told. */
  readonly only?: readonly string[];
  readonly onResult?: (result: CaseResult) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  readonly kind: CaseKind;
  readonly outcome: "passes" | "differs" | "lacks";
  /** What the server does instead, or says of itself; empty where there is nothing to say. */
  readonly note: string;
}

export interface ConformanceReport {
  readonly green: boolean;
  readonly baseModel: string;
  readonly results: readonly CaseResult[];
}

export async function checkTinkerServer(options: ConformanceOptions): Promise<ConformanceReport> {
  const { rank = 4, only, onResult, signal } = options;
  const unknown = only?.find((name) => !Object.hasOwn(tinkerCases, name));
  if (unknown !== undefined) {
    throw new EngineError("unknown-name", `No case "${unknown}". Known: ${Object.keys(tinkerCases).join(", ")}.`);
  }
  const http = createHttp(options, { attempts: 3 });
  const profile = await readProfile(http, signal);
  const baseModel = chooseModel(profile, options.baseModel, http.address);
  const bench = createBench({ ...options, baseModel, rank });
  const results: CaseResult[] = [];
  for (const [name, one] of Object.entries(tinkerCases)) {
    if (only !== undefined && !only.includes(name)) continue;
    const result = { name, title: one.title, kind: one.kind, ...(await outcomeOf(one, bench)) };
    results.push(result);
    onResult?.(result);
  }
  const green = results.every(({ kind, outcome }) => kind !== "required" || outcome === "passes");
  return { green, baseModel, results };
}

async function outcomeOf(one: ConformanceCase, bench: ConformanceBench): Promise<Pick<CaseResult, "outcome" | "note">> {
  try {
    const note = await one.run(bench);
    return { outcome: "passes", note: note ?? "" };
  } catch (error) {
    if (isAbort(error)) throw error;
    if (error instanceof Differs) return { outcome: "differs", note: error.message };
    if (error instanceof Lacks) return { outcome: "lacks", note: error.message };
    return { outcome: "differs", note: errorData(error).message.slice(0, 200) };
  }
}
