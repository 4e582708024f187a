/** Samples. */
import { Differs, expectThat, Lacks, onServer } from "../../../../base/conformance.ts";
import { onModel, type BenchModel, type ConformanceBench, type TinkerCases } from "../bench.ts";
import { expectClose, expectStatus } from "../expect.ts";
import { weighing } from "./datums.ts";

interface Sampled {
  readonly sequences: readonly {
    readonly tokens: readonly number[];
    readonly logprobs: readonly number[];
    readonly stop_reason: string;
  }[];
  readonly prompt_logprobs: readonly (number | null)[] | null;
  readonly topk_prompt_logprobs: readonly unknown[] | null;
}

const MAX_TOKENS = 6;

async function bodyOf(
  bench: ConformanceBench,
  { id }: BenchModel,
  params: object = {},
  more: object = {},
): Promise<Record<string, unknown>> {
  const save = { model_id: id, sampling_session_seq_id: 1, seq_id: 1 };
  const session = (await bench.work("save_weights_for_sampler", save))["sampling_session_id"];
  return {
    sampling_session_id: session,
    seq_id: 1,
    prompt: { chunks: [{ type: "encoded_text", tokens: [...bench.tokens] }] },
    sampling_params: { max_tokens: MAX_TOKENS, seed: 7, temperature: 1, ...params },
    num_samples: 1,
    ...more,
  };
}

async function sample(bench: ConformanceBench, body: object): Promise<Sampled> {
  const answer = await bench.work("asample", body);
  if (!Array.isArray(answer["sequences"])) throw new Differs("the result has no sequences");
  return answer as unknown as Sampled;
}

export const samplingCases: TinkerCases = {
  sample: onModel(
    "a sample has tokens and their log-probabilities; the same seed gives the same; num_samples is obeyed",
    "required",
    async (model, bench) => {
      const body = await bodyOf(bench, model);
      const [first, again] = [await sample(bench, body), await sample(bench, { ...body, seq_id: 2 })];
      const [own] = first.sequences;
      expectThat(own !== undefined && own.tokens.length > 0, "nothing was sampled");
      expectThat(own?.logprobs.length === own?.tokens.length, "tokens and log-probabilities differ in number");
      expectThat(
        JSON.stringify(again.sequences[0]?.tokens) === JSON.stringify(own?.tokens),
        "the same seed gave other tokens",
      );
      const two = await sample(bench, { ...body, seq_id: 3, num_samples: 2 });
      expectThat(two.sequences.length === 2, `num_samples 2 gave ${two.sequences.length}`);
    },
  ),
  stop: onModel("a stop token ends a sample and is part of it", "required", async (model, bench) => {
    const body = await bodyOf(bench, model);
    const free = (await sample(bench, body)).sequences[0]?.tokens ?? [];
    const end = free[2] as number;
    const wanted = free.slice(0, free.indexOf(end) + 1);
    const params = { ...(body["sampling_params"] as object), stop: [end] };
    const stopped = (await sample(bench, { ...body, seq_id: 2, sampling_params: params })).sequences[0];
    expectThat(stopped?.stop_reason === "stop", `stop_reason is ${stopped?.stop_reason}`);
    expectThat(
      JSON.stringify(stopped?.tokens) === JSON.stringify(wanted),
      "the sample does not end with the stop token",
    );
  }),
  "prompt-logprobs": onModel(
    "prompt log-probabilities are those that forward gives",
    "required",
    async (model, bench) => {
      const [wanted] = await model.forward([weighing(bench)], "cross_entropy");
      const body = await bodyOf(bench, model, { max_tokens: 1 }, { prompt_logprobs: true });
      const { prompt_logprobs: got } = await sample(bench, body);
      const values = (got ?? []).filter((value) => value !== null);
      expectClose(values, wanted?.logprobs ?? [], 1e-3, "prompt_logprobs");
    },
  ),
  "prompt-logprobs-first": onModel(
    "prompt log-probabilities have one entry per token, the first null",
    "profile",
    async (model, bench) => {
      const body = await bodyOf(bench, model, { max_tokens: 1 }, { prompt_logprobs: true });
      const { prompt_logprobs: got } = await sample(bench, body);
      const { length } = bench.tokens;
      expectThat(got?.length === length && got[0] === null, `${got?.length ?? 0} entries for ${length} tokens`);
    },
  ),
  "top-k": onModel("the most likely tokens of each place of the prompt", "profile", async (model, bench) => {
    const body = await bodyOf(bench, model, { max_tokens: 1 }, { topk_prompt_logprobs: 3 });
    const answer = await bench.future(await bench.post("asample", body));
    if (answer.status !== 200) throw new Lacks(`refused with ${answer.status}`);
    const got = answer.json?.["topk_prompt_logprobs"];
    if (!Array.isArray(got)) throw new Lacks("topk_prompt_logprobs is missing");
    const last = got.at(-1) as readonly unknown[];
    expectThat(last.length === 3, `${last.length} entries for a top-k of 3`);
  }),
  "unscaled-logprobs": onModel(
    "log-probabilities are those of temperature 1, whatever was sampled with",
    "profile",
    async (model, bench) => {
      const body = await bodyOf(bench, model, { temperature: 0.5, max_tokens: 1 });
      const own = (await sample(bench, body)).sequences[0];
      const longer = Int32Array.from([...bench.tokens, own?.tokens[0] as number]);
      const [scored] = await model.forward(
        [bench.datum({ weights: new Float64Array(longer.length).fill(1) }, longer)],
        "cross_entropy",
      );
      expectClose(own?.logprobs ?? [], (scored?.logprobs ?? []).slice(-1), 1e-3, "log-probability at temperature 0.5");
    },
  ),
  "base-sampler": onServer("create_sampling_session samples from the base model", "required", async (bench) => {
    const body = { session_id: await bench.session(), sampling_session_seq_id: 77, base_model: bench.baseModel };
    const session = await bench.post("create_sampling_session", body);
    expectStatus(session, [200]);
    const prompt = { chunks: [{ type: "encoded_text", tokens: [...bench.tokens] }] };
    const sampling_params = { max_tokens: MAX_TOKENS, seed: 7 };
    const sampling_session_id = session.json?.["sampling_session_id"];
    await sample(bench, { sampling_session_id, seq_id: 1, prompt, sampling_params, num_samples: 1 });
  }),
  "no-source": onServer("a sample without session, base model or path is 422", "required", async (bench) => {
    const prompt = { chunks: [{ type: "encoded_text", tokens: [1, 2] }] };
    expectStatus(await bench.post("asample", { prompt, sampling_params: { max_tokens: 1 } }), [422]);
  }),
  "session-without-number": onModel("a sample of a session without seq_id is 422", "profile", async (model, bench) => {
    const { seq_id: _, ...body } = await bodyOf(bench, model);
    expectStatus(await bench.post("asample", body), [422]);
  }),
  "max-tokens-needed": onModel("a sample without max_tokens is 400", "profile", async (model, bench) => {
    const body = await bodyOf(bench, model);
    expectStatus(await bench.post("asample", { ...body, sampling_params: {} }), [400]);
  }),
  "wrong-base-model": onServer(
    "a sample from a base model that is not served is refused",
    "required",
    async (bench) => {
      const prompt = { chunks: [{ type: "encoded_text", tokens: [...bench.tokens] }] };
      const body = { base_model: "no/such-model", prompt, sampling_params: { max_tokens: 1 } };
      const answer = await bench.outcome("asample", body);
      expectStatus(answer, [400, 404]);
    },
  ),
};
