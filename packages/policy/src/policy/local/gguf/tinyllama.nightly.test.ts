/**
 * TinyLlama 1.1B (`limbeck models get tinyllama`) against llama.cpp 3.22.1 of node-llama-cpp, greedily, 64 tokens. Its
 * weights were given to llama.cpp in float32: with the two-bit file itself nine of ten texts part at near-ties, most likely
 * because its kernels round what flows through the model to eight bits. Takes minutes and 5 GB; off by default.
 */
import { expect, test } from "vitest";
import { openModel, requireTokenizer } from "../open-model.ts";

const path = process.env["LIMBECK_TINYLLAMA"];

const SAID: readonly (readonly [string, string])[] = [
  [
    "The capital of France is",
    "the second largest city in the country. It is located in the center of the country and is the center of the country’s economic and cultural activities. The city is known for its rich cultural heritage and has a rich history of art, literature, and music. The city is also known for its beautiful landsc",
  ],
  [
    "Once upon a time, there was a little",
    "girl named Lily. She was the daughter of a farmer who lived in a small village. Lily was the only child in the village, and she was the only daughter. Lily was the only daughter, and she was the only daughter. Lily was the only daughter, and she was the only daughter",
  ],
  [
    "Water boils at",
    "100 degrees Celsius.\n\n2. The water boils at 100 degrees Celsius, but it is not hot enough to cause a chemical reaction.\n\n3. The water boils at 100 degrees Celsius, but it is not hot enough to",
  ],
  [
    "def fibonacci(n):\n",
    "\n    # calculate the first digit\n    if n % 1 is 1:\n        return fibonacci(n-1)\n\n    # calculate the second digit\n    if n % 1 is 1:\n        return fibonacci(n-1)\n\n    # calculate",
  ],
  [
    "The three primary colours are",
    "the colours red, blue, and green. The colour green is the colour that is most difficult to distinguish between. The colour green is the colour that is most difficult to distinguish between. The colour green is the colour that is most difficult to distinguish between. The colour green is the colour that is most difficult to distinguish between",
  ],
];

test.skipIf(path === undefined)(
  "TinyLlama says what llama.cpp says (needs LIMBECK_TINYLLAMA, the path of tinyllama.gguf)",
  { timeout: 3_600_000 },
  async () => {
    const model = await openModel(path as string);
    try {
      const tokenizer = requireTokenizer(model);
      const said = await Promise.all(
        SAID.map(async ([prompt]) => {
          const conversation = model.open({ seed: 1 });
          conversation.extend(tokenizer.encode(prompt, { wrap: true }));
          const { ids } = await conversation.sample({ maxTokens: 64, temperature: 0 });
          return [prompt, tokenizer.decode(ids)];
        }),
      );
      expect(said).toEqual(SAID);
    } finally {
      await model.close();
    }
  },
);
