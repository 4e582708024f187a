/** Parts of a message that the shapes know under different names: images, arguments of calls, and definitions of tools. */
import { isObject, type Json, type JsonObject, type Message, type ToolCall } from "../lines.ts";

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** A list of JSON objects, or undefined. */
export function asObjects(value: unknown): readonly JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/** `{type:"image", source}` becomes `{type:"image_url", image_url}`; other parts stay. */
export function toOpenAiParts(content: Message["content"]): Message["content"] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    const source = part["type"] === "image" ? part["source"] : undefined;
    if (!isObject(source)) return part;
    if (source["type"] === "url" && typeof source["url"] === "string") return imageUrl(source["url"]);
    const { media_type: media, data } = source;
    if (source["type"] !== "base64" || typeof media !== "string" || typeof data !== "string") return part;
    return imageUrl(`data:${media};base64,${data}`);
  });
}

/** The same in the other direction. */
export function toAnthropicParts(content: Message["content"]): Message["content"] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    const image = part["type"] === "image_url" ? part["image_url"] : undefined;
    const url = isObject(image) ? image["url"] : undefined;
    if (typeof url !== "string") return part;
    const data = DATA_URL.exec(url);
    if (data === null) return { type: "image", source: { type: "url", url } };
    return { type: "image", source: { type: "base64", media_type: data[1] ?? "", data: data[2] ?? "" } };
  });
}

/** Arguments as a model would have written them. */
export function argumentsText({ arguments: given }: Pick<ToolCall, "arguments">): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}

/** A tool in the shape the OpenAI interface has, which is the one trajectories keep; unknown shapes stay. */
export function toOpenAiTool(tool: JsonObject): JsonObject {
  const { name, description, input_schema: schema } = tool;
  return typeof name !== "string" || schema === undefined ? tool : functionTool(name, description, schema);
}

export function functionTool(name: string, description: Json | undefined, parameters: Json): JsonObject {
  return { type: "function", function: { name, ...(description === undefined ? {} : { description }), parameters } };
}

export function toAnthropicTool(tool: JsonObject): JsonObject {
  const inner = tool["function"];
  if (tool["type"] !== "function" || !isObject(inner) || typeof inner["name"] !== "string") return tool;
  const { name, description, parameters } = inner;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters ?? { type: "object", properties: {} },
  };
}

function imageUrl(url: string): JsonObject {
  return { type: "image_url", image_url: { url } };
}
