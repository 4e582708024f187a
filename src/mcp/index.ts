/** Mcp: the skill library offered to agents over the Model Context Protocol. */
export { serveOverHttp } from "./http.ts";
export { serveOverStdio } from "./stdio.ts";
export { createSkillServer, type SkillServer, type SkillServerOptions } from "./skill-server.ts";
