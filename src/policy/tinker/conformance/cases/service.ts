/** What a server says of itself, sessions, and keys. */
import { expectThat, Lacks, onServer } from "../../../../base/conformance.ts";
import type { TinkerCases } from "../bench.ts";
import { expectStatus } from "../expect.ts";

export const serviceCases: TinkerCases = {
  health: onServer('healthz answers {status: "ok"}', "required", async (bench) => {
    const answer = await bench.get("healthz");
    expectStatus(answer, [200]);
    expectThat(answer.json?.["status"] === "ok", answer.text.slice(0, 80));
  }),
  capabilities: onServer("get_server_capabilities names the base models", "required", async (bench) => {
    const answer = await bench.get("get_server_capabilities");
    expectStatus(answer, [200]);
    const models = answer.json?.["supported_models"];
    expectThat(Array.isArray(models) && models.length > 0, "supported_models is empty or missing");
  }),
  "client-config": onServer("client/config answers an object", "required", async (bench) => {
    const answer = await bench.post("client/config", { sdk_version: "0.24.1" });
    expectStatus(answer, [200]);
    expectThat(answer.json !== undefined, "the answer is not a JSON object");
  }),
  root: onServer("the root tells the server's name", "profile", async (bench) => {
    const { status, json } = await bench.get("/");
    if (status === 404) throw new Lacks("no root");
    const name = json?.["name"];
    expectThat(typeof name === "string", "it has no name");
    return String(name);
  }),
  session: onServer("create_session gives an id", "required", async (bench) => {
    const id = await bench.session();
    expectThat(/^[\w-]+$/.test(id), `the id is "${id}"`);
  }),
  "session-id-form": onServer("a session's id is session_ and 8 hex digits", "profile", async (bench) => {
    const id = await bench.session();
    expectThat(/^session_[0-9a-f]{8}$/.test(id), `the id is "${id}"`);
  }),
  heartbeat: onServer("a heartbeat is taken; that of an unknown session is 404", "required", async (bench) => {
    expectStatus(await bench.post("session_heartbeat", { session_id: await bench.session() }), [200]);
    expectStatus(await bench.post("session_heartbeat", { session_id: "session_00000000" }), [404]);
  }),
  "schema-detail": onServer("a body of the wrong shape is 422 with a list of faults", "required", async (bench) => {
    const answer = await bench.post("create_session", { tags: "none" });
    expectStatus(answer, [422]);
    const detail = answer.json?.["detail"];
    expectThat(Array.isArray(detail) && detail.length > 0, "detail is not a list");
  }),
  "unknown-route": onServer("an unknown route is 404", "required", async (bench) => {
    expectStatus(await bench.get("no_such_thing"), [404]);
  }),
  "checks-key": onServer("a wrong API key is refused", "profile", async (bench) => {
    const answer = await bench.get("get_server_capabilities", { "x-api-key": "tml-not-the-key" });
    if (answer.status === 200) throw new Lacks("any key is taken; put a proxy in front");
    expectStatus(answer, [401, 403]);
  }),
  "unknown-future": onServer("an unknown future is 404", "required", async (bench) => {
    expectStatus(await bench.post("retrieve_future", { request_id: "999999999" }), [404]);
  }),
  "future-id-not-a-number": onServer(
    "a future's id that is no number is refused, not a failure of the server",
    "fault",
    async (bench) => {
      expectStatus(await bench.post("retrieve_future", { request_id: "one" }), [400, 404, 422]);
    },
  ),
};
