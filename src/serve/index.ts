/** HTTP and an event stream over the store, for the pages of the studio. Default: read-only. */
export type { Arenas } from "./arena/folder-arenas.ts";
export { startStudio, type Studio, type StudioOptions } from "./server.ts";
export { openAudit, type AuditOptions } from "../base/audit-log.ts";
export { openTokens } from "../base/tokens-file.ts";
export type { SkillLibrary } from "./skills/folder-library.ts";
