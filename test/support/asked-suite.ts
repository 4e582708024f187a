/** For tests of suites that come with Limbeck: one of them, asked by one of its scripts. */
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import { openSuite } from "../../packages/testing/src/suite/places.ts";
import { runSuite, type SuiteRun } from "../../packages/testing/src/suite/run-suite.ts";
import { readSuite } from "../../packages/testing/src/suite/suite.ts";
import type { MadeSuite } from "../../packages/testing/src/suite/own/made-suite.ts";

export async function asked(own: MadeSuite, who: string, samples = 1): Promise<SuiteRun> {
  const suite = readSuite(await own.make());
  const places = await openSuite(suite, { scripts: own.scripts });
  const policy: Parameters<typeof runSuite>[0]["policy"] = ({ demonstrators }) => {
    const agent = createDemonstratorAgent(demonstrators[who] as Demonstrator);
    return Promise.resolve({ agent, close: () => Promise.resolve() });
  };
  return await runSuite({ suite, places, policy, name: who, samples });
}
