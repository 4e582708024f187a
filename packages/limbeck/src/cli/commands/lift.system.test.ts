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
  const words = ["lift", "--dataset", "questions.jsonl", "--policy", "chat", "--yes", "--json"];
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
  const verdicts = Array.from({ length: 60 }, (_, at) =>
    // The person agrees with the judge but for every tenth.
    JSON.stringify({
      prompt: "q",
      answer: "AA",
      given: at % 4 < 2 ? "It is AA." : "No.",
      right: at % 4 < 2 !== (at % 20 === 0),
    }),
  );
  await writeFile(join(folder, "verdicts.jsonl"), verdicts.join("\n"));
  const words = ["lift", "--dataset", "questions.jsonl", "--judge", "--verdicts", "verdicts.jsonl", "--yes"];
  words.push("--policy", "chat", "--concurrency", "1");
  const { code, objects } = await limbeck([...words, "--json"], { cwd: folder, env });
  expect(code).toBe(0);
  const agreement = objects().find(({ event }) => event === "agreement");
  expect(agreement).toMatchObject({ verdicts: 30, unscored: 30 });
  expect(Number(agreement?.["share"])).toBeGreaterThan(0.85);
  const lift = objects().find(({ event }) => event === "lift");
  expect(Number(lift?.["unscored"])).toBeGreaterThan(5);
  expect(Number(lift?.["pairs"])).toBeLessThan(30);
});

test("a pattern, a schema and a function decide; without any of them nothing is measured", async () => {
  const folder = await library();
  server = await startChatServer((request) => student(request));
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "student", LIMBECK_CHAT_API_KEY: "k" };
  const lift = async (row: object, ...words: string[]) => {
    const rows = Array.from({ length: 9 }, (_, at) => JSON.stringify({ prompt: `Code of Acity${at}?`, ...row }));
    await writeFile(join(folder, "questions.jsonl"), rows.join("\n"));
    const line = ["lift", "--dataset", "questions.jsonl", "--policy", "chat", "--dry-run", "--yes", "--json", ...words];
    const { code, err, objects } = await limbeck(line, { cwd: folder, env });
    return { code, err, success: objects().find(({ event }) => event === "lift")?.["success"] };
  };
  expect(await lift({ pattern: "\\bAA\\b" })).toMatchObject({ code: 0, success: { skill: 1, bare: 0, placebo: 0 } });
  expect(await lift({ schema: { type: "object" } })).toMatchObject({ code: 0, success: { skill: 0, bare: 0 } });
  await writeFile(
    join(folder, "decide.mjs"),
    "export default (answer, task) => answer.includes(task.prompt[8].repeat(2));",
  );
  expect(await lift({}, "--decide", "decide.mjs")).toMatchObject({ code: 0, success: { skill: 1, bare: 0 } });
  expect(await lift({})).toMatchObject({ code: 3, err: expect.stringContaining("Line 1 of") });
});
