/** HTTP and an event stream over the store, read-only unless told, for the pages of the studio. */
export type { Arenas } from "./arena/arenas.ts";
export { startStudio, type Studio, type StudioOptions } from "./server.ts";
export type { SkillLibrary } from "./skills/library.ts";
