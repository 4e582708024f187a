/** Passes, losses and steps. */
import { Differs, expectStatus, expectThat, Lacks, onServer } from "limbeck-base/base/conformance";
import { heldIn, lossScales, probeTraining } from "../../training-probe.ts";
import {
  expectClose,
  halfWeighing,
  onModel,
  ratioDatum,
  weighing,
  type BenchModel,
  type ConformanceBench,
  type TinkerCases,
} from "../bench.ts";

const LOW = 0.8;
const HIGH = 1.2;

export const lossCases: TinkerCases = {
  forward: onModel(
    "forward gives a loss and a log-probability per target; loss is -log-probability by weight",
    "required",
    async (model, bench) => {
      const [first] = await model.forward([halfWeighing(bench)], "cross_entropy");
      const { losses = [], logprobs = [] } = first ?? {};
      expectThat(
        losses.length === 8 && logprobs.length === 8,
        `${losses.length} losses, ${logprobs.length} log-probabilities for 8 targets`,
      );
      expectThat(
        logprobs.every((value) => Number.isFinite(value) && value <= 1e-4),
        "a log-probability is above 0",
      );
      const wanted = logprobs.map((value, at) => (at >= 4 ? -value : 0));
      expectClose(losses, wanted, 1e-4, "elementwise_loss");
    },
  ),
  learns: onModel(
    "after forward_backward and optim_step the targets are more likely",
    "required",
    async (model, bench) => {
      const [before] = await model.forwardBackward([weighing(bench)], "cross_entropy");
      await model.step({ learning_rate: 1e-3 });
      const [after] = await model.forward([weighing(bench)], "cross_entropy");
      const [old, fresh] = [before, after].map((pass) => sum(pass?.logprobs ?? []));
      expectThat((fresh ?? 0) > (old ?? 0), `the log-probability went from ${old} to ${fresh}`);
    },
  ),
  "gradient-norm": onModel("optim_step reports the gradient norm", "profile", async (model, bench) => {
    await model.forwardBackward([weighing(bench)], "cross_entropy");
    const norm = await model.step();
    if (Number.isNaN(norm)) throw new Lacks("no metric of that name");
    expectThat(norm > 0, `it is ${norm}`);
  }),
  "empty-step": onModel("a step without gradients succeeds and changes nothing", "required", async (model, bench) => {
    const [before] = await model.forward([weighing(bench)], "cross_entropy");
    await model.step({ learning_rate: 1e-2 });
    const [after] = await model.forward([weighing(bench)], "cross_entropy");
    expectClose(after?.logprobs ?? [], before?.logprobs ?? [], 1e-5, "log-probabilities");
  }),
  "inside-the-clip": onModel(
    "importance_sampling and ppo agree while every ratio is inside the clip range",
    "required",
    async (model, bench) => {
      const [now] = await model.forward([weighing(bench)], "cross_entropy");
      const data = [ratioDatum(bench, now?.logprobs ?? [], (at) => (at % 3) * 0.05)];
      const [free] = await model.forward(data, "importance_sampling");
      const [clipped] = await model.forward(data, "ppo", { clip_low_threshold: LOW, clip_high_threshold: HIGH });
      expectClose(clipped?.losses ?? [], free?.losses ?? [], 1e-4, "losses");
      const wanted = Array.from(
        { length: 8 },
        (_, at) => -Math.exp(((at + 1) % 3) * 0.05) * ((at + 1) % 2 === 0 ? 1 : -0.5),
      );
      expectClose(free?.losses ?? [], wanted, 1e-3, "losses of importance_sampling");
    },
  ),
  cispo: onModel("cispo's loss is -clip(r) lp A", "required", async (model, bench) => {
    const [now] = await model.forward([weighing(bench)], "cross_entropy");
    const logprobs = now?.logprobs ?? [];
    const data = [ratioDatum(bench, logprobs, (at) => (at - 4) * 0.3)];
    const bounds = { clip_low_threshold: LOW, clip_high_threshold: HIGH };
    const [got] = await model.forward(data, "cispo", bounds);
    const wanted = logprobs.map((value, at) => {
      const ratio = Math.exp((at + 1 - 4) * 0.3);
      const advantage = (at + 1) % 2 === 0 ? 1 : -0.5;
      return -Math.min(HIGH, Math.max(LOW, ratio)) * value * advantage;
    });
    expectClose(got?.losses ?? [], wanted, 1e-2, "losses");
  }),
  gspo: lossIsThere("gspo"),
  dppo: lossIsThere("dppo"),
  dro: lossIsThere("dro"),
  "unknown-loss": onModel("a loss that does not exist is refused", "required", async ({ id }, bench) => {
    const forward_input = { data: [weighing(bench)], loss_fn: "no_such_loss" };
    const answer = await bench.outcome("forward", { model_id: id, forward_input });
    expectStatus(answer, [400, 422]);
  }),
  "unknown-loss-setting": onModel("a setting that a loss does not have is 422", "required", async ({ id }, bench) => {
    const forward_input = { data: [weighing(bench)], loss_fn: "cross_entropy", loss_fn_config: { speed: 1 } };
    expectStatus(await bench.post("forward", { model_id: id, forward_input }), [422]);
  }),
  "missing-targets": onModel(
    "a datum without target_tokens is refused, not a failure of the server",
    "fault",
    async ({ id }, bench) => {
      const { model_input } = weighing(bench);
      const forward_input = { data: [{ model_input, loss_fn_inputs: {} }], loss_fn: "cross_entropy" };
      const answer = await bench.outcome("forward", { model_id: id, forward_input });
      expectStatus(answer, [400, 422]);
    },
  ),
  "split-batch": onModel(
    "a batch in two requests makes the step of the batch in one",
    "required",
    async (model, bench) => {
      const data = [weighing(bench), halfWeighing(bench)];
      await model.forwardBackward(data, "cross_entropy");
      const whole = await model.step();
      for (const datum of data) await model.forwardBackward([datum], "cross_entropy");
      const split = await model.step();
      if (Number.isNaN(whole)) throw new Lacks("no gradient norm to compare by");
      expectClose([split / whole], [1], 1e-3, "gradient norm against one request");
    },
  ),
  "weightless-datum": onModel("a datum of weight 0 changes nothing", "profile", async (model, bench) => {
    await model.forwardBackward([weighing(bench)], "cross_entropy");
    const alone = await model.step();
    await model.forwardBackward([weighing(bench), weighing(bench, 0)], "cross_entropy");
    const beside = await model.step();
    if (Number.isNaN(alone)) throw new Lacks("no gradient norm to compare by");
    expectThat(
      Math.abs(beside / alone - 1) < 1e-3,
      `the gradient is ${(beside / alone).toFixed(2)} of what it is without`,
    );
  }),
  "loss-scale": onModel("token losses are summed", "profile", async ({ client }) => {
    const { lossScale, measured } = await probeTraining(client, { vocabularySize: 16 });
    if (!measured) throw new Lacks("no gradient norm to measure it by");
    if (lossScale !== "sum") throw new Differs(`"${lossScale}": ${lossScales[lossScale].meaning}`);
  }),
  "step-settings": onModel("a step obeys betas, epsilon and the gradient clip", "profile", async ({ client }) => {
    const { ignored, measured } = await probeTraining(client, { vocabularySize: 16 });
    if (!measured) throw new Lacks("no gradient norm to measure it by");
    expectThat(ignored.length === 0, `ignored: ${ignored.join(", ")}`);
  }),
  "step-type": onModel(
    "the settings of a step are held finely enough for beta2 0.999",
    "profile",
    async ({ client }) => {
      const { held } = await probeTraining(client, { vocabularySize: 16 });
      if (held === undefined) throw new Lacks("no learning rate comes back to tell it by");
      expectThat(heldIn(held, 0.999) < 1, `held in ${held}, where it is 1 and parameters become NaN`);
    },
  ),
};

function lossIsThere(loss: string): TinkerCases[string] {
  return onModel(`the loss ${loss} is served`, "profile", async ({ id }, bench) => {
    const data = [ratioDatum(bench, [-4, -4, -4, -4, -4, -4, -4, -4], () => 0)];
    const answer = await bench.outcome("forward", { model_id: id, forward_input: { data, loss_fn: loss } });
    if (answer.status === 200) return;
    expectStatus(answer, [400, 422]);
    throw new Lacks(`refused with ${answer.status}`);
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

// Samples.

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
