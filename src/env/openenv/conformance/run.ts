/** Points the cases at an OpenEnv server and says how it stands to each. Green: every required case passes. */
import type { CaseRunOptions, CaseTable } from "../../../base/index.ts";
import { checkCaseNames, runCases, type CaseResult } from "../../../base/conformance.ts";
import type { JsonObject } from "../../../trajectory/index.ts";
import { serverAddress } from "../address.ts";
import { describeServer } from "../discover.ts";
import { createBench, plainAction, type OpenEnvBench } from "./bench.ts";
import { extensionCases } from "./extension-cases.ts";
import { routeCases } from "./route-cases.ts";
import { socketCases } from "./socket-cases.ts";

export const openEnvCases: CaseTable<OpenEnvBench> = { ...routeCases, ...socketCases, ...extensionCases };

export interface OpenEnvConformanceOptions extends CaseRunOptions {
  readonly url: string;
  readonly key?: string | undefined;
  /** An action the world accepts after a reset. Default: made from the server's schema. */
  readonly action?: JsonObject | undefined;
  /** For one answer. Default: 10 seconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenEnvReport {
  readonly green: boolean;
  /** What the server calls its world. */
  readonly world: string;
  readonly results: readonly CaseResult[];
}

/**
 * Tries the cases on a server. `green`: every required one passes.
 *
 * @example
 * import { startEnvServer } from "limbeck/env/openenv";
 *
 * const server = await startEnvServer({ env: await openEnv("countdown") });
 * const { results } = await checkOpenEnvServer({ url: server.url, only: ["health"] });
 * console.log(results.map(({ name, outcome }) => `${name} ${outcome}`)); // [ "health passes" ]
 * await server.close();
 */
export async function checkOpenEnvServer(options: OpenEnvConformanceOptions): Promise<OpenEnvReport> {
  const { only, onResult, signal, timeoutMs = 10_000 } = options;
  checkCaseNames(openEnvCases, only);
  const address = serverAddress(options.url, options.key);
  const server = await describeServer(address, { connectTimeoutMs: timeoutMs, timeoutMs }, signal);
  const action = options.action ?? plainAction(server.actionSchema);
  const bench = createBench({ address, server, action, timeoutMs, signal });
  const { green, results } = await runCases(openEnvCases, bench, { only, onResult });
  return { green, world: server.name, results };
}
