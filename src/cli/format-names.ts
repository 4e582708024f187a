/** The names of formats and programs, for commands that are not declared yet. */
export { formatNames, programNames } from "../record/import.inputs.ts";
