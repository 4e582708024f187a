/** Who acts, as a command line describes it, for commands that are not operations yet. */
import type { OpenedAgent } from "../../run/index.ts";
import { givenAgent, type AgentPlace as Place } from "../../run/given-parts.ts";
import { speechInputs } from "../../run/speech.inputs.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { frameOf, readInput } from "../command-of.ts";
import type { Invocation } from "../command.ts";

export interface AgentPlace extends Place {
  /** Its name, where the command takes it from elsewhere than --policy. */
  readonly name?: string;
}

export interface ChosenAgent extends OpenedAgent {
  /** What is kept of an episode of this agent. Default: the episode as it is. */
  readonly finished?: (trajectory: Trajectory) => Promise<Trajectory>;
}

export async function chosenAgent(
  invocation: Invocation,
  { name = invocation.text("policy"), ...place }: AgentPlace,
): Promise<ChosenAgent> {
  return await givenAgent(name, readInput(speechInputs, invocation), place, frameOf(invocation, speechInputs));
}
