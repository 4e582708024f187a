/** Sockets for both ends of the protocol, an optional package. */
import type * as Ws from "ws";
import { optionalPart } from "../../base/optional-part.ts";

export async function loadWebSocket(): Promise<Pick<typeof Ws, "WebSocket" | "WebSocketServer">> {
  return await optionalPart("openenv", () => import("ws"));
}
