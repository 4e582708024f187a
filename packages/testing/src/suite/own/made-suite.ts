/** What a suite is whose tasks are made when it is asked for. */
import type { Demonstrator } from "limbeck-core/env/expert";
import type { SuiteInput } from "../suite.ts";

/** One whose tasks are made of episodes that scripts play, each time alike. */
export interface MadeSuite {
  readonly meaning: string;
  /** Who can be asked beside the scripts of its worlds, by name. */
  readonly scripts?: Readonly<Record<string, Demonstrator>>;
  make(): Promise<SuiteInput>;
}
