/** Options of commands that let an agent act in a world, for those that are not operations yet. */
import { worldInputs } from "../../env/world.inputs.ts";
import { speechInputs } from "../../run/speech.inputs.ts";
import { optionsOf } from "../options-of.ts";

export { speechSections } from "../../run/speech.inputs.ts";
export const envOptions = optionsOf(worldInputs);
export const speechOptions = optionsOf(speechInputs);
