/** The framework under the studio's server, an optional package. */
import type { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { optionalPart } from "limbeck-base/base/optional-part";

export interface HonoParts {
  readonly Hono: typeof Hono;
  readonly createAdaptorServer: typeof createAdaptorServer;
}

export async function loadHono(): Promise<HonoParts> {
  return await optionalPart("studio", async () => {
    const [hono, node] = await Promise.all([import("hono"), import("@hono/node-server")]);
    return { Hono: hono.Hono, createAdaptorServer: node.createAdaptorServer };
  });
}
