/** A version of a policy that a Tinker server samples from: the worker needs no weights, only the tokenizer. */
import type { Policy } from "../policy/index.ts";
import type { PolicyAddress } from "./job.ts";
import type { LeasedModel } from "./models.ts";

export interface SamplerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function openSampler(
  policy: Extract<PolicyAddress, { readonly kind: "sampler" }>,
  { env }: SamplerOptions,
): Promise<LeasedModel> {
  const { bundledFolder } = await import("../policy/local/bundled-model.ts");
  const { createChatDialect, loadTokenizer } = await import("../policy/local/index.ts");
  const { readSizes } = await import("../policy/local/read-sizes.ts");
  const { connectTinker } = await import("../policy/tinker/index.ts");
  const { openConversation } = await import("../policy/tinker/conversation.ts");
  const folder = bundledFolder(policy.tokenizer) ?? policy.tokenizer;
  const tokenizer = await loadTokenizer(folder);
  const { vocabularySize, contextLength } = await readSizes(folder, tokenizer);
  const dialect = await createChatDialect(tokenizer);
  const client = await connectTinker({ url: policy.url, ...keyFor(policy.url, env) });
  const samples = await client.openSamples({ path: policy.path });
  const speech = {
    vocabularySize,
    contextLength,
    extension: client.profile.extension,
    sampler: () => Promise.resolve({ client: samples, version: policy.version }),
  };
  const model: Policy = {
    ref: { name: policy.path, version: policy.version },
    open: (conversation) => openConversation(speech, conversation),
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
  return { model, dialect, release: () => undefined };
}

/** The address comes from the job: the key goes only to the trainer that this worker was told of. */
function keyFor(url: string, env: SamplerOptions["env"]): { readonly apiKey?: string } {
  const [apiKey, known] = [env["TINKER_API_KEY"], env["TINKER_BASE_URL"]];
  const same = known !== undefined && URL.canParse(known) && new URL(known).origin === new URL(url).origin;
  return apiKey === undefined || !same ? {} : { apiKey };
}
