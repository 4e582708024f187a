/** Options of commands that let a search act, for those that are not operations yet. */
import { searchInputs } from "../../run/search.inputs.ts";
import { optionsOf } from "../options-of.ts";

export const searchOptions = optionsOf(searchInputs);
