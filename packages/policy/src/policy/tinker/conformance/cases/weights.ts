/** Checkpoints: saving, loading, looking, deleting, downloading. */
import { randomBytes } from "node:crypto";
import { expectStatus, expectThat, Lacks } from "limbeck-base/base/conformance";
import { readArchive } from "../../checkpoint-client.ts";
import { type BenchModel, type ConformanceBench, expectClose, onModel, type TinkerCases, weighing } from "../bench.ts";

const freshName = (): string => `conformance-${randomBytes(4).toString("hex")}`;

async function save(bench: ConformanceBench, { id }: BenchModel, name: string): Promise<string> {
  return String((await bench.work("save_weights", { model_id: id, path: name }))["path"]);
}

async function saveSampler(bench: ConformanceBench, { id }: BenchModel, name: string): Promise<string> {
  return String((await bench.work("save_weights_for_sampler", { model_id: id, path: name }))["path"]);
}

export const weightsCases: TinkerCases = {
  "save-weights": onModel(
    "save_weights names tinker://MODEL/weights/NAME; the same name again is 409; it is listed, described, deleted",
    "required",
    async (model, bench) => {
      const name = freshName();
      const path = await save(bench, model, name);
      expectThat(path === `tinker://${model.id}/weights/${name}`, `the path is ${path}`);
      expectStatus(await bench.post("save_weights", { model_id: model.id, path: name }), [409]);
      const listed = await bench.get(`training_runs/${model.id}/checkpoints`);
      expectThat(listed.text.includes(name), "the list does not show it");
      const info = await bench.post("weights_info", { tinker_path: path });
      expectStatus(info, [200]);
      expectThat(info.json?.["base_model"] === bench.baseModel, "weights_info names another base model");
      const at = `training_runs/${model.id}/checkpoints`;
      expectStatus(await bench.remove(`${at}/weights/${name}`), [204]);
      const left = await bench.get(at);
      expectThat(!left.text.includes(name), "the list still shows it after it was deleted");
    },
  ),
  "delete-bare-name": onModel("deleting a bare name, without its kind, is 400", "profile", async (model, bench) => {
    const name = freshName();
    await save(bench, model, name);
    const answer = await bench.remove(`training_runs/${model.id}/checkpoints/${name}`);
    await bench.remove(`training_runs/${model.id}/checkpoints/weights/${name}`);
    expectStatus(answer, [400]);
  }),
  "bad-name": onModel("a checkpoint's name that is a path is refused", "required", async ({ id }, bench) => {
    expectStatus(await bench.post("save_weights", { model_id: id, path: "../up" }), [400, 422]);
  }),
  load: onModel("load_weights into a fresh model restores it", "required", async (model, bench) => {
    await model.forwardBackward([weighing(bench)], "cross_entropy");
    await model.step({ learning_rate: 1e-2 });
    const [wanted] = await model.forward([weighing(bench)], "cross_entropy");
    const path = await save(bench, model, freshName());
    await bench.withModel(async (fresh) => {
      await bench.work("load_weights", { model_id: fresh.id, path, optimizer: true, seq_id: 1 });
      const [got] = await fresh.forward([weighing(bench)], "cross_entropy");
      expectClose(got?.logprobs ?? [], wanted?.logprobs ?? [], 1e-3, "log-probabilities");
    });
  }),
  "load-late": onModel("load_weights after another request is 400", "required", async (model, bench) => {
    const { id } = model;
    const forward_input = { data: [weighing(bench)], loss_fn: "cross_entropy" };
    await bench.work("forward", { model_id: id, seq_id: 1, forward_input });
    const path = await save(bench, model, freshName());
    const answer = await bench.outcome("load_weights", { model_id: id, path, optimizer: true, seq_id: 2 });
    expectStatus(answer, [400]);
  }),
  "load-other-rank": onModel("load_weights of another rank is refused", "required", async (model, bench) => {
    const path = await save(bench, model, freshName());
    await bench.withModel(async ({ id }) => {
      const answer = await bench.outcome("load_weights", { model_id: id, path, optimizer: true, seq_id: 1 });
      expectStatus(answer, [400]);
    }, bench.rank + 1);
  }),
  "sampler-path": onModel("weights to sample from are named with three parts", "fault", async (model, bench) => {
    const name = freshName();
    const path = await saveSampler(bench, model, name);
    expectThat(
      path === `tinker://${model.id}/sampler_weights/${name}`,
      `the path is ${path.replace(model.id, "MODEL").replace(name, "NAME")}`,
    );
  }),
  archive: onModel(
    "archive redirects to a tar.gz with an adapter in the layout of PEFT",
    "required",
    async (model, bench) => {
      const name = freshName();
      await saveSampler(bench, model, name);
      const redirect = await bench.get(`training_runs/${model.id}/checkpoints/${name}/archive`);
      expectStatus(redirect, [302]);
      const location = redirect.headers.get("location") ?? "";
      const { apiKey } = bench.address;
      const headers = apiKey === undefined ? {} : { "x-api-key": apiKey };
      const response = await fetch(new URL(location, bench.address.url), { headers });
      expectThat(response.ok && response.body !== null, `the download answers ${response.status}`);
      const names: string[] = [];
      for await (const file of readArchive(response.body ?? emptyStream())) names.push(file.name);
      for (const wanted of ["adapter_config.json", "adapter_model.safetensors"]) {
        expectThat(names.includes(wanted), `it holds ${names.join(", ") || "nothing"}`);
      }
    },
  ),
  "sampler-session": onModel(
    "unnamed weights to sample from give a sampling session, which knows its base model",
    "required",
    async ({ id }, bench) => {
      const body = { model_id: id, sampling_session_seq_id: 1, seq_id: 1 };
      const session = (await bench.work("save_weights_for_sampler", body))["sampling_session_id"];
      expectThat(typeof session === "string" && session !== "", "no sampling_session_id");
      const described = await bench.get(`samplers/${String(session)}`);
      if (described.status === 404) throw new Lacks("samplers/ID is not there");
      expectThat(described.json?.["base_model"] === bench.baseModel, "it names another base model");
    },
  ),
};

async function* emptyStream(): AsyncGenerator<Uint8Array> {
  yield* [];
}
