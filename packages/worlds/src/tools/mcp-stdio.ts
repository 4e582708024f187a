/** The shop as a program that speaks MCP over standard input and output: node mcp-stdio.js --seed 0 --remainder 0. */
import { parseArgs } from "node:util";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Database } from "./database.ts";
import { generateShop } from "./generate-database.ts";
import { serveShop } from "./mcp-server.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "0" },
    remainder: { type: "string", default: "0" },
    users: { type: "string", default: "64" },
  },
});
const shop = generateShop({
  seed: Number(values.seed),
  remainder: Number(values.remainder),
  users: Number(values.users),
});
await serveShop(new Database(shop), new StdioServerTransport());
