/** From trajectories to skills and to a protocol: what holds for more than one task, with its evidence. */
export { addSkills } from "./add-skills.ts";
export { extractSkills, type ExtractOptions, type Extraction } from "./extract.ts";
export { groundedness, planDegradation } from "./groundedness.ts";
export { buildProtocol, protocolText, type Protocol } from "./protocol.ts";
