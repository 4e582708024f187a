/** The texts an agent reads: who speaks stands before the colon. */
import { POLICY_TEXT } from "./policy.ts";
import type { ToolDefinition } from "./tool.ts";

/** A customer's words, a tool's result and an error; every observation is one of these. */
export const customerSays = (text: string): string => `Customer: ${text}`;
export const toolSays = (name: string, text: string): string => `Tool ${name}: ${text}`;
/** Errors can quote what a model wrote; control characters in it become visible marks. */
export const errorSays = (text: string): string => `Error: ${text.replaceAll(/\p{Cc}/gu, "\uFFFD")}`;

export interface OpeningOptions {
  /** "full": policy, tools and the customer's first words. "dialogue": only the words, for prompts that hold the rest. */
  readonly form: "full" | "dialogue";
  readonly policy?: string;
}

export function openingText(
  definitions: readonly ToolDefinition[],
  firstWords: string,
  { form, policy = POLICY_TEXT }: OpeningOptions,
): string {
  if (form === "dialogue") return customerSays(firstWords);
  const call = 'To call a tool write {"name": "…", "arguments": {…}}. Any other text goes to the customer.';
  return [policy, `Tools\n${toolLines(definitions)}\n${call}`, customerSays(firstWords)].join("\n\n");
}

/** Name, arguments and meaning of each tool, one a line. */
export function toolLines(definitions: readonly ToolDefinition[]): string {
  return definitions.map(toolLine).join("\n");
}

function toolLine(tool: ToolDefinition): string {
  const properties = tool.parameters["properties"];
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const mark = tool.effect === "read" ? "read" : tool.irreversible ? "write, cannot be undone" : "write";
  return `- ${tool.name}(${names.join(", ")}) [${mark}]: ${tool.description}`;
}
