/** An agent of a user's own, for `--policy ./agent.ts`: a script, a policy of texts or tokens, or a whole agent. */
import type { EntryInfo } from "limbeck-base/base/method-info";
import { awaitPart, badAnswer, callPart, withOverrides } from "limbeck-base/base/parts/contain";
import { kindOfValue, madePart, type PartHome, type PartKind } from "limbeck-base/base/parts/part";
import type { Demonstrator } from "../../env/expert.ts";
import { guardScript } from "../../env/guard-world.ts";
import type { Policy, Scorer } from "limbeck-policy/policy/policy";
import type { TextPolicy } from "limbeck-policy/policy/text-policy";
import type { Agent } from "./agent.ts";

/** An agent: one that chooses actions by rules (`start`), a policy (`open`), or an agent (`begin`). */
export type OwnAgent = Demonstrator | (Policy & Partial<Scorer>) | TextPolicy | Agent;

export interface AgentDefinition {
  readonly info: EntryInfo;
  /** Makes it; once for a command. */
  create(): OwnAgent | Promise<OwnAgent>;
}

const AGENT: PartKind<AgentDefinition> = {
  kind: "agent",
  maker: "defineAgent",
  functions: ["create"],
  guard: (definition, home) => ({
    ...definition,
    create: async () => guardAgent(await awaitPart(home, "create", () => definition.create()), home),
  }),
};

function guardAgent(made: OwnAgent, home: PartHome): OwnAgent {
  const acts = ["start", "begin", "open"].some((name) => typeof (made as never)?.[name] === "function");
  if (!acts) {
    const found = kindOfValue(made);
    throw badAnswer(home, "create", `it gave ${found} without a function "start", "open" or "begin"`);
  }
  if ("start" in made) return guardScript(made, home);
  if (!("begin" in made)) return made;
  return withOverrides<Agent>(made, { begin: (task, seed) => callPart(home, "begin", () => made.begin(task, seed)) });
}

/**
 * Makes an agent: the default export of a file that `--policy` names.
 *
 * @example
 * const patient = defineAgent({
 *   info: { title: "Patient", meaning: "Always takes the first action there is." },
 *   create: () => ({
 *     id: "patient",
 *     summary: "Takes the first action.",
 *     start: () => ({ next: ({ admissible }) => admissible?.[0] ?? "look" }),
 *   }),
 * });
 * console.log(patient.info.title); // Patient
 */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return madePart({ ...definition }, AGENT);
}
