/** An MCP server of somebody else: notes that live as long as the process. Run as a program it speaks over its pipes. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

export function createNotesServer(): McpServer {
  const server = new McpServer({ name: "notes", version: "1" });
  const notes: string[] = [];
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  server.registerTool("read_notes", { description: "Reads.", annotations: { readOnlyHint: true } }, () =>
    text(notes.join(", ") || "nothing"),
  );
  server.registerTool("add_note", { description: "Adds.", inputSchema: { text: z.string().min(2) } }, (note) => {
    notes.push(note.text);
    return text(`${notes.length} notes`);
  });
  server.registerTool("crash", {}, async () => {
    await server.close();
    return text("never sent");
  });
  return server;
}

if (process.argv[1] === import.meta.filename) await createNotesServer().connect(new StdioServerTransport());
