/** Lift with a chat model and questions, through a real server on this machine. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  says,
  startChatServer,
  type ChatServerDouble,
  type SeenRequest,
} from "../../../../../test/support/chat-server.ts";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";

const temporaryFolder = temporaryFolders();
let server: ChatServerDouble | undefined;
afterEach(() => server?.close());

async function library(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "skills", "codes"), { recursive: true });
  const skill =
    "---\nname: codes\ndescription: d\nlevel: general\n---\nThe code of a city is its first letter twice.\n";
  await writeFile(join(folder, "skills", "codes", "SKILL.md"), skill);
  const rows = Array.from({ length: 30 }, (_, at) => {
    const city = `${String.fromCodePoint(65 + (at % 26))}city${at}`;
    return JSON.stringify({ prompt: `Code of ${city}?`, answer: `${city.charAt(0)}${city.charAt(0)}` });
  });
  await writeFile(join(folder, "questions.jsonl"), rows.join("\n"));
  return folder;
}

const askedIn = ({ body }: SeenRequest): string => JSON.stringify(body["messages"]);

/** Knows the code only where its prompt says how codes are made. */
function student(request: SeenRequest): ReturnType<typeof says> {
  const asked = askedIn(request);
  const letter = /Code of (\w)/.exec(asked)?.[1] ?? "";
  return says(asked.includes("first letter twice") ? `It is ${letter}${letter}.` : "I do not know.");
}

test("questions and a chat model: a skill that helps is promoted, with what it costs", async () => {
  const folder = await library();
  server = await startChatServer((request) => student(request));
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "student", LIMBECK_CHAT_API_KEY: "k" };
  const words = ["skills", "lift", "--dataset", "questions.jsonl", "--policy", "chat", "--looks", "2", "--json"];
  const { code, objects } = await limbeck(words, { cwd: folder, env });
  expect(code).toBe(0);
  expect(objects().find(({ event }) => event === "lift")).toMatchObject({
    verdict: "helps",
    decision: "promote",
    status: "active",
    success: { skill: 1, bare: 0, placebo: 0 },
  });
});

test("a judge that fails half the time: those questions are left out, and counted", async () => {
  const folder = await library();
  let judged = 0;
  server = await startChatServer((request) => {
    if (!askedIn(request).includes("say the same")) return student(request);
    judged += 1;
    if (judged % 2 === 0) return says("Who knows?");
    return says(/given\D+It is/.test(askedIn(request)) ? "yes" : "no");
  });
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "student", LIMBECK_CHAT_API_KEY: "k" };
  const words = [
    "skills",
    "lift",
    "--dataset",
    "questions.jsonl",
    "--judge",
    "--policy",
    "chat",
    "--looks",
    "1",
    "--concurrency",
    "1",
  ];
  const { code, objects } = await limbeck([...words, "--json"], { cwd: folder, env });
  expect(code).toBe(0);
  const lift = objects().find(({ event }) => event === "lift");
  expect(Number(lift?.["unscored"])).toBeGreaterThan(5);
  expect(Number(lift?.["pairs"])).toBeLessThan(30);
});
