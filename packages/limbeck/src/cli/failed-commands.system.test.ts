import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";

const newFolder = temporaryFolders();
// Most load it; the first test would pay for all.
await import("./train/run-train.ts");

/** Each fails, some at once, some when a part cannot be opened. Nothing here opens a model. */
const FAILING: readonly string[] = [
  "train --set lr=1",
  "train --steps 0",
  "train --model nowhere",
  "train --dir out --model nowhere",
  "train --dir deep/out --set lr=1",
  "train --store elsewhere/runs --model nowhere",
  "train --env-set nope=1",
  "train --next nowhere",
  "train --preset nope",
  "train --recipe opid --preset paper",
  "train --config nowhere.json",
  "train --rewards nowhere.yaml",
  "train --env ./nowhere.ts",
  "train --ask local:nowhere",
  "train --lag 1 --correction nope",
  "demo --set lr=1 --model nowhere",
  "arena --recipes nope",
  "arena --recipes grpo,opid --seeds 1 --model nowhere",
  "demo --steps 0",
  "demo --set lr=1",
  "arena --recipes grpo,opid --set lr=1",
  "arena --recipes grpo --baseline nope --seeds 1",
  "arena --plan nowhere.json",
  "arena --recipes grpo --seeds x",
  "arena --resume nowhere",
  "tune --over nope=1,2",
  "tune --recipe grpo --over learningRate=a,b",
  "tune --resume nowhere",
  "rollout --env household",
  "rollout --env household --policy nowhere",
  "rollout --env household --policy expert --split nope",
  "rollout --env household --policy expert --strategy tree --set nope=1 --dir out",
  "rollout --env household --policy chat",
  "rollout --env household --policy expert --library nowhere --count 1",
  "eval --env household --policy nowhere",
  "eval --env household --policy expert --split nope",
  "eval --run nope",
  "search --env household --policy expert --method mcts --set nope=1",
  "sft --model nowhere --in bad.jsonl --out out",
  "sft --model bundled --in nowhere.jsonl --out out",
  "warm-up --env household --out out --base nowhere",
  "warm-up --env household --out out --from nowhere",
  "draft-heads --model nowhere --env household --out out",
  "reward train --run nope --out out",
  "import nowhere.jsonl",
  "import bad.jsonl",
  "import bad.jsonl --format openai-chat --run mine",
  "export --run nope --out deep/out.jsonl",
  "skills extract --run nope",
  "skills promote nope --library out",
  "skills accept nope",
  "report nope",
  "feedback nope --score 1",
  "compact --run nope",
  "agent run --policy nowhere -- node -e 0",
  "agent run --tasks nowhere.jsonl -- node -e 0",
  "generate --env household --out out --set nope=1",
  "init out --template nope",
  "models fetch nope --dir out",
  "studio --tls-cert nowhere",
  "trainer --model nowhere",
];

test.each(FAILING)("%s fails and leaves nothing behind", async (line) => {
  const cwd = await newFolder();
  await writeFile(join(cwd, "bad.jsonl"), "not json\n");
  const env = { HOME: cwd, LIMBECK_HOME: cwd };
  const { code, err } = await limbeck(line.split(" "), { cwd, env });
  expect([code === 0, err === ""]).toEqual([false, false]);
  expect(await readdir(cwd, { recursive: true })).toEqual(["bad.jsonl"]);
});

test("what was there before stays, and so does a run that has begun", async () => {
  const cwd = await newFolder();
  await limbeck(["train", "--model", "nowhere", "--store", cwd], { cwd });
  expect(await readdir(cwd)).toEqual([]);
  await writeFile(join(cwd, "mine.txt"), "");
  await limbeck(["train", "--model", "nowhere", "--store", "."], { cwd });
  expect(await readdir(cwd)).toEqual(["mine.txt"]);
});
