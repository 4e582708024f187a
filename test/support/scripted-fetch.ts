/** The scripted provider of the examples without a socket. */
import { scriptedAnswer, type Body, type ScriptedProvider } from "../../examples/scripted-provider.ts";
import { answerInProcess } from "./in-process-fetch.ts";

export function scriptedInProcess(): ScriptedProvider {
  const requests: Body[] = [];
  const { url, close } = answerInProcess(async (request) => {
    const body = JSON.parse((await request.text()) || "{}") as Body;
    requests.push(body);
    const { type, pieces } = scriptedAnswer(new URL(request.url).pathname, body);
    return new Response(pieces.join(""), { headers: { "content-type": type } });
  });
  return { url: `${url}/v1`, requests, close: async () => close() };
}
