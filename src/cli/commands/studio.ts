/** `limbeck studio`: trajectories, credit and skills in a web page, served on this machine. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutUndefined } from "../../base/fields.ts";
import { isLoopback } from "../../base/listen.ts";
import type { Studio } from "../../serve/index.ts";
import { allowOptions, givenAllowed } from "../allow-options.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import {
  addressOptions,
  forOption,
  givenAccess,
  givenPort,
  givenTime,
  givenTls,
  serveUntilOver,
} from "../listening.ts";
import { flag, text, texts } from "../options.ts";
import { parseCount, usageError } from "../parse.ts";

const DEFAULT_PORT = "4142";
/** Half of the time between two looks at a run that is followed. */
const KEEP_MS = 250;
/** As niceness counts. */
const LAST_PRIORITY = 19;

export const studio: Command = {
  group: "look",
  summary: "Look at trajectories, credit and skills in a web page",
  usage: "[--port NUMBER] [--model DIR] [--redis URL] [--write] [--train] [--priority N] [--no-open]",
  description:
    "Serves one web page on this machine and opens it: runs and how they compare, a training while it goes on, trajectories step by step with each token's advantage, teacher shift and probability, groups as trees, skills with their evidence, worlds to play by hand beside the policy, and, with --redis, the workers of a fleet.\n" +
    "The printed address holds a random token; without it nothing is answered, so other users and other pages of this machine see nothing. The server only reads, unless --write lets episodes be judged, runs be labelled and skills be promoted, demoted or quarantined, and --train lets small trainings be started, which end with it. To play on from a stored run starts no program and calls no address that the run names, unless --allow-commands or --allow-addresses lets it. Beyond this machine (--host) it needs a --token of your own or --tokens FILE (docs/security.md), and it speaks plain HTTP unless --tls-cert and --tls-key are given. /healthz, /readyz and /metrics (with the key) are for those who watch it. It gives way to programs beside it, trainings above all: --priority 0 puts it beside them. Ctrl-C ends it.",
  options: {
    ...addressOptions(DEFAULT_PORT),
    token: text("TEXT", "A token of your own, 16 letters or more. Default: random"),
    write: flag("Let episodes be judged, runs be labelled, and skills be promoted, demoted and quarantined"),
    train: flag("Let small trainings be started and stopped from the page; on this machine only"),
    ...allowOptions("a stored run that is played on"),
    model: texts("DIR", "A model of your own to play beside; several with several --model"),
    redis: text("URL", "The Redis server of a fleet to show"),
    library: text("DIR", 'Folder of the skill library. Default: "skills"'),
    "no-open": flag("Do not open a browser"),
    priority: text(
      "0…19",
      "How far behind other programs it stands. Default: 19, last; 0 with --train, whose trainings inherit it",
    ),
    for: forOption,
  },
  examples: [
    "limbeck studio",
    "limbeck studio --store runs --port 0 --no-open",
    "limbeck studio --write --train",
    "limbeck studio --model my-model",
  ],
  jsonFields: {
    event: "listening or stopped",
    url: "address to open, with the token",
    api: "address of the API's description",
    write: "whether episodes may be judged, runs labelled and skills decided on",
    train: "whether trainings may be started from the page",
    priority: "how far behind other programs it stands: 0 beside them, 19 last",
  },
  natives: ({ text }) => ["duckdb", "studio", ...(text("redis") === undefined ? [] : (["fleet"] as const))],
  run: serve,
};

async function serve(invocation: Invocation): Promise<number> {
  const { startStudio } = await import("../../serve/index.ts");
  const { studioPages } = await import("../studio/pages.ts");
  const { programWords } = await import("../../base/child-program.ts");
  const { packageVersion } = await import("../../base/package-info.ts");
  const lastsMs = givenTime(invocation, "for");
  // Before threads are started, which inherit it.
  const priority = invocation.io.giveWay?.(givenPriority(invocation)) ?? 0;
  const access = await givenAccess(invocation);
  const { commands = false, addresses = false } = givenAllowed(invocation);
  const started = await startStudio({
    root: invocation.storeRoot,
    version: packageVersion(),
    port: givenPort(invocation, DEFAULT_PORT),
    tls: await givenTls(invocation),
    ...access,
    write: invocation.flag("write"),
    train: invocation.flag("train") ? programWords(import.meta.url, "../bin") : undefined,
    keepMs: KEEP_MS,
    allowCommands: commands,
    allowAddresses: addresses,
    models: invocation.texts("model").map((folder) => resolve(invocation.io.cwd, folder)),
    pages: await studioPages(() => invocation.note("Building the pages, once…")),
    ...withoutUndefined({
      library: await libraryFolder(invocation),
      redis: invocation.text("redis"),
      host: invocation.text("host"),
      token: invocation.text("token"),
    }),
  });
  await serveUntilOver(invocation, started, {
    announce: () => announce(invocation, started, priority),
    lastsMs,
    audit: access.audit,
  });
  if (invocation.json) invocation.printJson({ event: "stopped" });
  return EXIT.done;
}

/** Where `limbeck skills` keeps it; undefined where there is none yet. */
async function libraryFolder({ io, ...invocation }: Invocation): Promise<string | undefined> {
  const folder = resolve(io.cwd, invocation.text("library") ?? io.env["LIMBECK_SKILLS"] ?? "skills");
  return await stat(folder).then(
    (found) => (found.isDirectory() ? folder : undefined),
    () => undefined,
  );
}

/** A studio that somebody asks all the time slows no training beside it; trainings of its own would stand as far behind as it does. */
function givenPriority(invocation: Invocation): number {
  const given = invocation.text("priority");
  if (given === undefined) return invocation.flag("train") ? 0 : LAST_PRIORITY;
  const priority = parseCount(given, "priority", 0);
  if (priority <= LAST_PRIORITY) return priority;
  throw usageError(`--priority is a number from 0 to ${LAST_PRIORITY}, not ${priority}.`);
}

async function announce(invocation: Invocation, { entrance, url }: Studio, priority: number): Promise<void> {
  const { io, style } = invocation;
  const [write, train] = [invocation.flag("write"), invocation.flag("train")];
  if (invocation.json) {
    const api = `${url}/api/openapi.json`;
    invocation.printJson({ event: "listening", url: entrance, api, write, train, priority });
    return;
  }
  invocation.print(`The studio is at ${style.cyan(entrance)}`);
  if (!isLoopback(new URL(url).hostname)) {
    const open = url.startsWith("https:") ? "" : ", without encryption";
    invocation.note(`! It is reached from other machines${open}. Whoever has the token can read every run.`);
  }
  if (write) invocation.note("! Skills may be decided on, episodes judged and runs labelled (--write).");
  if (train) invocation.note("! Trainings may be started from the page (--train).");
  invocation.note(style.dim("Ctrl-C ends it."));
  if (invocation.flag("no-open") || !io.terminal.out) return;
  const { openBrowser } = await import("../studio/open-browser.ts");
  if (!(await openBrowser(entrance, io.env))) invocation.note(style.dim("Open the address in a browser."));
}
