/** Whether an action can be taken back, asked over the socket of its episode. */
import type { ActionCodec } from "./action-codec.ts";
import type { Socket } from "./socket.ts";

/** False must be sure: of a server that does not answer the worst is believed. What cannot be sent does nothing. */
export async function isIrreversible(codec: ActionCodec, socket: Socket | undefined, action: string): Promise<boolean> {
  const encoded = codec.encode(action);
  if (!encoded.ok) return false;
  // No answer counts as yes.
  const answer = await socket?.ask({ type: "irreversible", data: encoded.data }).catch(() => undefined);
  return answer?.type === "irreversible" ? answer.data.irreversible : true;
}
