/** `limbeck trainer`: the local policy behind the Tinker protocol, for trainings on other machines. */
import { resolve } from "node:path";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { engineInputs } from "limbeck-policy/policy/engine.inputs";
import { defineCommand } from "../command-of.ts";
import { problemEvent, serve, serverInputs, type Serving } from "../listening.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { storeFolder } from "../with-store.ts";

const urlFact = { url: "address for --trainer and TINKER_BASE_URL" };

export const trainer = defineCommand({
  group: "learn",
  summary: "Serve a model to trainings on other machines, in the Tinker protocol",
  description:
    "Holds the weights, computes gradients and samples; the training itself runs wherever limbeck train --trainer is started, and any other client of the Tinker protocol may use it too. Full weights (rank 0) and adapters.\n" +
    "Beyond this machine (--host) it needs a key, in LIMBECK_TRAINER_KEY, which clients send from TINKER_API_KEY, or --tokens FILE (docs/lookup/security.md); and it speaks plain HTTP unless --tls-cert and --tls-key are given. /healthz, /readyz and /metrics (with the key) are for those who watch it. Checkpoints are kept on disk and outlive the server; models, and sessions that fall silent, do not. Ctrl-C ends it.",
  input: {
    model: input.path("DIR", "The base model's folder. Default: the bundled one"),
    name: input.text("NAME", "What clients call the base model. Default: the folder's name"),
    ...serverInputs(4143),
    checkpoints: input.path("DIR", "Folder of checkpoints. Default: trainer in the store"),
    maxModels: input.count("N", "Models that learn at the same time. Default: 8"),
    maxQueue: input.count("N", "Work that may wait; more is told to come back (429). Default: 4096"),
    maxRank: input.count("N", "Largest rank of an adapter. Default: 64"),
    loraOnly: input.flag("Do not train full weights"),
    threads: engineInputs.threads,
  },
  examples: [
    "limbeck trainer",
    "limbeck trainer --model models/qwen3-small --port 4143",
    "LIMBECK_TRAINER_KEY=… limbeck trainer --host 0.0.0.0 --model models/qwen3-small",
  ],
  events: {
    listening: {
      ...urlFact,
      model: "what clients call the base model",
      key: "whether a key is asked for",
      checkpoints: "folder of checkpoints",
    },
    problem: problemEvent,
    stopped: urlFact,
  },
  natives: () => ["onnxruntime"],
  run: async (input, frame) => {
    const { startTrainer } = await import("limbeck-remote/tinker-server/server");
    const { typedModel } = await import("limbeck-policy/policy/starts");
    const { startingModel } = await import("limbeck-policy/policy/local/bundled-model");
    const { style, cwd } = frame;
    const { port, name, maxModels, maxQueue, maxRank, threads } = input;
    const apiKey = frame.environment["LIMBECK_TRAINER_KEY"] || undefined;
    const folder = input.checkpoints ?? `${storeFolder(frame, "give --checkpoints DIR")}/trainer`;
    const checkpoints = resolve(cwd, folder);
    const model = startingModel("household", typedModel(input.model, cwd));
    const limits = withoutUndefined({ maxModels, maxRank, maxQueue, name, apiKey });
    const options = { ...limits, model, checkpoints, port, fullWeights: !input.loraOnly };
    const start = (place: Serving) => startTrainer({ ...place, ...options, local: withoutUndefined({ threads }) });
    const { url } = await serve(input, frame, start, ({ url, baseModel }, { tokens }) => {
      const keyed = apiKey !== undefined || tokens !== undefined;
      frame.emit({ event: "listening", url, model: baseModel, key: keyed, checkpoints });
      frame.print(`Serving ${style.bold(cleanLine(baseModel))}${keyed ? ", with a key" : ""}. Train with it:`);
      frame.print(`  limbeck train --trainer ${style.cyan(url)}`);
      frame.note(style.dim(`Checkpoints: ${cleanLine(checkpoints)}. Ctrl-C ends it.`));
    });
    frame.emit({ event: "stopped", url });
  },
});
