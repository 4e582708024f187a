/** `limbeck studio`: trajectories, credit and skills in a web page, served on this machine. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { isLoopback } from "limbeck-base/base/listen";
import { allowInputs } from "limbeck-worlds/world.inputs";
import { defineCommand } from "../command-of.ts";
import { serve, serverInputs, type Serving } from "../listening.ts";

/** Half of the time between two looks at a run that is followed. */
const KEEP_MS = 250;
/** As niceness counts. */
const LAST_PRIORITY = 19;

export const studio = defineCommand({
  group: "look",
  summary: "Look at trajectories, credit and skills in a web page",
  description:
    "Serves one web page on this machine and opens it: runs and how they compare, a training while it goes on, trajectories step by step with each token's advantage, teacher shift and probability, groups as trees, skills with their evidence, worlds to play by hand beside the policy, and, with --redis, the workers of a fleet.\n" +
    "The printed address holds a random token; without it nothing is answered, so other users and other pages of this machine see nothing. The server only reads, unless --write lets episodes be judged, runs be labelled and skills be promoted, demoted or quarantined, and --train lets small trainings be started, which end with it. To play on from a stored run starts no program and calls no address that the run names, unless --allow-commands or --allow-addresses lets it. Beyond this machine (--host) it needs a --token of your own or --tokens FILE (docs/lookup/security.md), and it speaks plain HTTP unless --tls-cert and --tls-key are given. /healthz, /readyz and /metrics (with the key) are for those who watch it. It gives way to programs beside it, trainings above all: --priority 0 puts it beside them. Ctrl-C ends it.",
  input: {
    ...serverInputs(4142),
    token: input.text("TEXT", "A token of your own, 16 letters or more. Default: random"),
    write: input.flag("Let episodes be judged, runs be labelled, and skills be promoted, demoted and quarantined"),
    train: input.flag("Let small trainings be started and stopped from the page; on this machine only"),
    ...allowInputs("a stored run that is played on"),
    models: input.texts("DIR", "A model of your own to play beside; several with several --model", { flag: "model" }),
    redis: input.text("URL", "The Redis server of a fleet to show"),
    library: input.path("DIR", 'Folder of the skill library. Default: "skills"'),
    noOpen: input.flag("Do not open a browser"),
    priority: input.count(
      "0…19",
      "How far behind other programs it stands. Default: 19, last; 0 with --train, whose trainings inherit it",
      { least: 0, most: LAST_PRIORITY },
    ),
  },
  examples: [
    "limbeck studio",
    "limbeck studio --store runs --port 0 --no-open",
    "limbeck studio --write --train",
    "limbeck studio --model my-model",
  ],
  events: {
    listening: {
      url: "address to open, with the token",
      api: "address of the API's description",
      write: "whether episodes may be judged, runs labelled and skills decided on",
      train: "whether trainings may be started from the page",
      priority: "how far behind other programs it stands: 0 beside them, 19 last",
    },
    stopped: {},
  },
  natives: (given) => (given("redis") === undefined ? [] : ["fleet"]),
  run: async (input, frame) => {
    const { startStudio } = await import("limbeck-studio/serve/server");
    const { studioPages, openBrowser } = await import("../studio/pages.ts");
    const { programWords } = await import("limbeck-base/base/child-program");
    const { write, train, token, redis, port, allowCommands, allowAddresses } = input;
    const { io, style } = frame;
    // Before threads are started, which inherit it. One that is asked all the time slows no training beside it.
    const priority = io.giveWay?.(input.priority ?? (train ? 0 : LAST_PRIORITY)) ?? 0;
    const library = resolve(io.cwd, input.library ?? io.env["LIMBECK_SKILLS"] ?? "skills");
    const fixed = { root: frame.storeRoot, port, write, allowCommands, allowAddresses, keepMs: KEEP_MS };
    const start = async (place: Serving) =>
      await startStudio({
        ...place,
        ...withoutUndefined({ token, redis, library: (await isFolder(library)) ? library : undefined }),
        ...fixed,
        train: train ? programWords(import.meta.url, "../bin") : undefined,
        models: input.models.map((folder) => resolve(io.cwd, folder)),
        pages: await studioPages(() => frame.note("Building the pages, once…")),
      });
    await serve(input, frame, start, async ({ entrance, url }) => {
      frame.emit({ event: "listening", url: entrance, api: `${url}/api/openapi.json`, write, train, priority });
      frame.print(`The studio is at ${style.cyan(entrance)}`);
      if (!isLoopback(new URL(url).hostname)) {
        const open = url.startsWith("https:") ? "" : ", without encryption";
        frame.note(`! It is reached from other machines${open}. Whoever has the token can read every run.`);
      }
      if (write) frame.note("! Skills may be decided on, episodes judged and runs labelled (--write).");
      if (train) frame.note("! Trainings may be started from the page (--train).");
      frame.note(style.dim("Ctrl-C ends it."));
      if (frame.json || input.noOpen || !io.terminal.out) return;
      if (!(await openBrowser(entrance, io.env))) frame.note(style.dim("Open the address in a browser."));
    });
    frame.emit({ event: "stopped" });
  },
});

/** There may be no library yet. */
async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
