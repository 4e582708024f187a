/** Mcp: the skill library offered to agents over the Model Context Protocol. */
export { serveOverHttp, type HttpOptions, type HttpServer } from "./http.ts";
export { serveOverStdio } from "./stdio.ts";
export { createSkillServer, type SkillServerOptions } from "./skill-server.ts";
