/** Checkpoints: saving, loading, looking, deleting, downloading. */
import { randomBytes } from "node:crypto";
import { expectThat, Lacks } from "../../../../base/index.ts";
import { readArchive } from "../../archive.ts";
import type { BenchModel, ConformanceBench, TinkerCases } from "../bench.ts";
import { expectClose, expectStatus } from "../expect.ts";
import { weighing } from "./datums.ts";

const freshName = (): string => `conformance-${randomBytes(4).toString("hex")}`;

async function save(bench: ConformanceBench, { id }: BenchModel, name: string): Promise<string> {
  return String((await bench.work("save_weights", { model_id: id, path: name }))["path"]);
}

async function saveSampler(bench: ConformanceBench, { id }: BenchModel, name: string): Promise<string> {
  return String((await bench.work("save_weights_for_sampler", { model_id: id, path: name }))["path"]);
}

export const weightsCases: TinkerCases = {
  "save-weights": {
    title:
      "save_weights names tinker://MODEL/weights/NAME; the same name again is 409; it is listed, described, deleted",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async (model) => {
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
      });
    },
  },
  "delete-bare-name": {
    title: "deleting a bare name, without its kind, is 400",
    kind: "profile",
    run: async (bench) => {
      await bench.withModel(async (model) => {
        const name = freshName();
        await save(bench, model, name);
        const answer = await bench.remove(`training_runs/${model.id}/checkpoints/${name}`);
        await bench.remove(`training_runs/${model.id}/checkpoints/weights/${name}`);
        expectStatus(answer, [400]);
      });
    },
  },
  "bad-name": {
    title: "a checkpoint's name that is a path is refused",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async ({ id }) => {
        expectStatus(await bench.post("save_weights", { model_id: id, path: "../up" }), [400, 422]);
      });
    },
  },
  load: {
    title: "load_weights into a fresh model restores it",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async (model) => {
        await model.forwardBackward([weighing(bench)], "cross_entropy");
        await model.step({ learning_rate: 1e-2 });
        const [wanted] = await model.forward([weighing(bench)], "cross_entropy");
        const path = await save(bench, model, freshName());
        await bench.withModel(async (fresh) => {
          await bench.work("load_weights", { model_id: fresh.id, path, optimizer: true, seq_id: 1 });
          const [got] = await fresh.forward([weighing(bench)], "cross_entropy");
          expectClose(got?.logprobs ?? [], wanted?.logprobs ?? [], 1e-3, "log-probabilities");
        });
      });
    },
  },
  "load-late": {
    title: "load_weights after another request is 400",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async (model) => {
        const { id } = model;
        const forward_input = { data: [weighing(bench)], loss_fn: "cross_entropy" };
        await bench.work("forward", { model_id: id, seq_id: 1, forward_input });
        const path = await save(bench, model, freshName());
        const submitted = await bench.post("load_weights", { model_id: id, path, optimizer: true, seq_id: 2 });
        const answer = submitted.status === 200 ? await bench.future(submitted) : submitted;
        expectStatus(answer, [400]);
      });
    },
  },
  "load-other-rank": {
    title: "load_weights of another rank is refused",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async (model) => {
        const path = await save(bench, model, freshName());
        await bench.withModel(async ({ id }) => {
          const submitted = await bench.post("load_weights", { model_id: id, path, optimizer: true, seq_id: 1 });
          const answer = submitted.status === 200 ? await bench.future(submitted) : submitted;
          expectStatus(answer, [400]);
        }, bench.rank + 1);
      });
    },
  },
  "sampler-path": {
    title: "weights to sample from are named with three parts",
    kind: "fault",
    run: async (bench) => {
      await bench.withModel(async (model) => {
        const name = freshName();
        const path = await saveSampler(bench, model, name);
        expectThat(
          path === `tinker://${model.id}/sampler_weights/${name}`,
          `the path is ${path.replace(model.id, "MODEL").replace(name, "NAME")}`,
        );
      });
    },
  },
  archive: {
    title: "archive redirects to a tar.gz with an adapter in the layout of PEFT",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async (model) => {
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
      });
    },
  },
  "sampler-session": {
    title: "unnamed weights to sample from give a sampling session, which knows its base model",
    kind: "required",
    run: async (bench) => {
      await bench.withModel(async ({ id }) => {
        const body = { model_id: id, sampling_session_seq_id: 1, seq_id: 1 };
        const session = (await bench.work("save_weights_for_sampler", body))["sampling_session_id"];
        expectThat(typeof session === "string" && session !== "", "no sampling_session_id");
        const described = await bench.get(`samplers/${String(session)}`);
        if (described.status === 404) throw new Lacks("samplers/ID is not there");
        expectThat(described.json?.["base_model"] === bench.baseModel, "it names another base model");
      });
    },
  },
};

async function* emptyStream(): AsyncGenerator<Uint8Array> {
  yield* [];
}
