/** Models: making them, numbering requests, and their end. */
import { expectStatus, expectThat, Lacks, onServer } from "limbeck-base/base/conformance";
import { onModel, type TinkerCases, weighing } from "../bench.ts";

export const modelCases: TinkerCases = {
  "create-model": onModel(
    "create_model answers at once, and its future names model and rank",
    "required",
    async ({ id }, bench) => {
      expectThat(/^[\w-]+$/.test(id), `the id is "${id}"`);
      const info = await bench.post("get_info", { model_id: id });
      expectStatus(info, [200]);
      expectThat(info.json?.["model_id"] === id, "get_info names another model");
    },
  ),
  "lora-config-needed": onServer("create_model without lora_config is 422", "profile", async (bench) => {
    const body = { session_id: await bench.session(), base_model: bench.baseModel };
    expectStatus(await bench.post("create_model", body), [422]);
  }),
  "rank-limit": onServer(
    "a rank above the limit: the submit succeeds, the future is a 400 with a reason",
    "required",
    async (bench) => {
      const lora_config = { rank: 100_000 };
      const body = { session_id: await bench.session(), base_model: bench.baseModel, lora_config };
      const answer = await bench.future(await bench.post("create_model", body));
      expectStatus(answer, [400]);
      expectThat(/\d/.test(JSON.stringify(answer.json?.["detail"] ?? "")), "the reason names no bounds");
    },
  ),
  "full-weights": onServer("rank 0 trains the full weights", "profile", async (bench) => {
    const body = { session_id: await bench.session(), base_model: bench.baseModel, lora_config: { rank: 0 } };
    const answer = await bench.future(await bench.post("create_model", body));
    if (answer.status !== 200) throw new Lacks("adapters only");
    const unload = await bench.post("unload_model", { model_id: answer.json?.["model_id"] });
    await bench.future(unload);
  }),
  "training-runs": onModel("training_runs lists a model, and describes it", "required", async ({ id }, bench) => {
    const all = await bench.get("training_runs?limit=100&offset=0");
    expectStatus(all, [200]);
    expectThat(Array.isArray(all.json?.["training_runs"]), "training_runs is not a list");
    const one = await bench.get(`training_runs/${id}`);
    expectStatus(one, [200]);
    expectThat(one.json?.["training_run_id"] === id, "it describes another model");
  }),
  "unknown-model": onServer("work for an unknown model is 404", "required", async (bench) => {
    const forward_input = { data: [weighing(bench)], loss_fn: "cross_entropy" };
    const answer = await bench.post("forward", { model_id: "model_00000000", forward_input });
    expectStatus(answer, [404]);
  }),
  idempotent: onModel(
    "the same seq_id and payload is the same work; another payload is 409",
    "required",
    async ({ id }, bench) => {
      const body = (weight: number): object => ({
        model_id: id,
        seq_id: 1,
        forward_backward_input: { data: [weighing(bench, weight)], loss_fn: "cross_entropy" },
      });
      const [first, again] = [
        await bench.post("forward_backward", body(1)),
        await bench.post("forward_backward", body(1)),
      ];
      expectStatus(first, [200]);
      expectStatus(again, [200]);
      expectThat(first.json?.["request_id"] === again.json?.["request_id"], "a repeated request is done twice");
      expectStatus(await bench.post("forward_backward", body(2)), [409]);
      expectStatus(await bench.future(first), [200]);
      const fetched = await bench.future(first);
      expectStatus(fetched, [200]);
    },
  ),
  unload: onServer("after unload_model the model's work is refused with a reason", "required", async (bench) => {
    const gone = await bench.withModel(({ id }) => Promise.resolve(id));
    const forward_input = { data: [weighing(bench)], loss_fn: "cross_entropy" };
    const answer = await bench.outcome("forward", { model_id: gone, forward_input });
    expectStatus(answer, [400, 404]);
    expectThat(typeof answer.json?.["detail"] === "string", "no reason is given");
  }),
};

// What a server says of itself, sessions, and keys.

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
