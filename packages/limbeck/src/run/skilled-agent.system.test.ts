/** A library that is told and tended while episodes are played, through a real server on this machine. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  says,
  startChatServer,
  type ChatServerDouble,
  type SeenRequest,
} from "../../../../test/support/chat-server.ts";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createRng } from "limbeck-base/base/rng";
import { expert } from "limbeck-worlds/household/demonstrators";
import type { Protocol } from "limbeck-core/skill/extract/protocol";

const temporaryFolder = temporaryFolders();
let server: ChatServerDouble | undefined;
afterEach(() => server?.close());

interface Message {
  readonly role: string;
  readonly content: string;
}

/** Knows household, and acts by what the conversation holds; `habit` may say something else in the place of the right action. */
const household =
  (habit: (right: string, opening: string) => string | undefined) =>
  ({ body }: SeenRequest): ReturnType<typeof says> => {
    const messages = body["messages"] as readonly Message[];
    const seen = messages.filter(({ role }) => role === "user").map(({ content }) => content);
    const said = messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
    const goal = /(?:Goal|Your task is to): ([^\n]+)/.exec(seen[0] ?? "")?.[1] ?? "";
    const mind = expert.start({ id: "", env: "household", seed: 0, goal, split: "train" }, createRng("chat"));
    let right = "";
    for (const [at, observation] of seen.entries()) {
      right = mind.next({ action: said[at - 1], observation, admissible: undefined });
    }
    return says(habit(right, seen[0] ?? "") ?? right);
  };

async function play(
  folder: string,
  agent: Parameters<typeof startChatServer>[0],
  ...words: string[]
): Promise<Record<string, unknown>> {
  server = await startChatServer(agent);
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "scripted", LIMBECK_CHAT_API_KEY: "k" };
  const world = ["--env", "household", "--env-set", "dial=tiny", "--policy", "chat", "--form", "plain", "--group", "1"];
  const { code, err, objects } = await limbeck(["rollout", ...world, ...words, "--json"], { cwd: folder, env });
  await server.close();
  expect(err).toBe("");
  expect(code).toBe(0);
  return objects().at(-1) as Record<string, unknown>;
}

const patience = { timeout: 120_000 };

test(
  "a planted harmful skill is out of use after at most five uses, and single successes leave rules",
  patience,
  async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "skills", "look-first"), { recursive: true });
    await writeFile(
      join(folder, "skills", "look-first", "SKILL.md"),
      "---\nname: look-first\ndescription: d\nlevel: general\nstatus: active\n---\nAlways look around before anything else.\n",
    );
    const obedient = household((_, opening) => (opening.includes("Always look around") ? "look" : undefined));
    const words = ["--library", "skills", "--learn", "--count", "14", "--run", "stream"];
    const end = await play(folder, obedient, ...words);
    const [skill] = (await limbeck(["skills", "show", "look-first", "--json"], { cwd: folder })).objects();
    const { uses } = (skill?.["statistics"] ?? { uses: 0 }) as { uses: number };
    expect(skill).toMatchObject({ status: "archived" });
    expect(uses).toBeGreaterThanOrEqual(3);
    expect(uses).toBeLessThanOrEqual(5);
    // Everything after it succeeds.
    expect(end["succeeded"]).toBe(14 - uses);
    const metrics = end["metrics"] as Record<string, number>;
    expect(metrics["library/demoted"]).toBeGreaterThanOrEqual(2);
    expect(metrics["library/rules"]).toBeGreaterThanOrEqual(1);
  },
);

test(
  "a protocol of failures, told to the agent that made them, raises success within three rounds",
  patience,
  async () => {
    const folder = await temporaryFolder();
    // Half of the errands with a treatment end before it, unless the prompt says what comes after what, or not to look about.
    const hasty = household((right, opening) => {
      const [verb = ""] = right.split(" ");
      if (!["heat", "cool", "clean"].includes(verb)) return undefined;
      const told = new RegExp(`After you [^.]*: [^.]*\\b${verb}\\b|"look" changes nothing`).test(opening);
      const [house = ""] = opening.split("Your task is to");
      return told || createRng(house).int(2) === 0 ? undefined : "look";
    });
    const rates: number[] = [];
    for (const round of [1, 2, 3]) {
      const words = [
        "--library",
        "skills",
        "--protocol",
        "--offset",
        String(round * 100),
        "--count",
        "36",
        "--run",
        `round-${round}`,
      ];
      const end = await play(folder, hasty, ...words);
      rates.push(Number(end["succeeded"]) / 36);
      const extracted = await limbeck(["skills", "extract", "--run", `round-${round}`, "--protocol", "--json"], {
        cwd: folder,
      });
      expect(extracted.objects().at(-1)).toMatchObject({ protocol: { round } });
    }
    const { branches } = JSON.parse(await readFile(join(folder, "skills", "protocol.json"), "utf8")) as Protocol;
    expect(branches.length).toBeGreaterThan(0);
    for (const { links } of branches) expect(links.length).toBeGreaterThanOrEqual(1);
    expect(rates[2]).toBeGreaterThan((rates[0] as number) + 0.1);
    // The errands of the third round once more, by the same agent that is told nothing.
    const untold = await play(folder, hasty, "--offset", "300", "--count", "36", "--run", "untold");
    expect(rates[2]).toBeGreaterThan(Number(untold["succeeded"]) / 36 + 0.1);
  },
);

test("what is about a library needs one", async () => {
  const { code, err } = await limbeck(["rollout", "--env", "household", "--policy", "bundled", "--learn"]);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("--learn is about a library of skills: give --library DIR too."),
  ]);
});
