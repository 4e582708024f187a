/** The OpenAPI 3.1 description, made from the same schemas that check every request and answer. */
import { z } from "zod";
import { apiError } from "../api/base.ts";
import { endpoints, streams, type Endpoint } from "../api/endpoints.ts";
import { runEvents, storeEvents } from "../api/live.ts";

type JsonSchema = Record<string, unknown>;

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  // References inside one schema would point at the wrong root, so everything stands where it is used.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    reused: "inline",
    unrepresentable: "any",
  }) as JsonSchema;
  return rest;
}

export function openApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(name, endpoint) };
  }
  const messages = { runEvents, storeEvents };
  for (const [name, { path, summary }] of Object.entries(streams)) {
    paths[path] = { ...paths[path], get: stream(name, path, summary, messages[name as keyof typeof messages]) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Limbeck studio", version, description: "Read-only unless the server was started with --write." },
    security: [{ cookie: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "limbeck-studio-PORT" },
      },
      schemas: { Error: schemaOf(apiError, "output") },
    },
  };
}

function operation(name: string, { path, summary, query, body, answer, needs }: Endpoint): JsonSchema {
  const told = needs === undefined ? summary : `${summary} Needs --${needs}.`;
  return {
    operationId: name,
    summary: told,
    parameters: [...pathParameters(path), ...(query === undefined ? [] : queryParameters(query))],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input") } } } }),
    responses: {
      "200": { description: "The answer.", content: { "application/json": { schema: schemaOf(answer, "output") } } },
      default: {
        description: "What went wrong.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function stream(
  name: string,
  path: string,
  summary: string,
  messages: Readonly<Record<string, z.ZodType>>,
): JsonSchema {
  const described = Object.entries(messages).map(([event, schema]) => [event, schemaOf(schema, "output")]);
  return {
    operationId: name,
    summary,
    parameters: pathParameters(path),
    responses: {
      "200": {
        description: `Server-sent events: ${Object.keys(messages).join(", ")}. x-events has the data of each.`,
        content: { "text/event-stream": { schema: { type: "string" } } },
        "x-events": Object.fromEntries(described) as JsonSchema,
      },
    },
  };
}

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodType): JsonSchema[] {
  const { properties = {}, required = [] } = schemaOf(query, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}
