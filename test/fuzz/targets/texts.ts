/** Targets that read one text: games, tasks, plans, jobs, replies, patterns. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { storedTune } from "../../../packages/training/src/arena/tune/stored-tune.ts";
import { readPlan } from "../../../packages/training/src/arena/plan.ts";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import { EngineError } from "../../../packages/base/src/base/errors.ts";
import { listTokens } from "../../../packages/base/src/base/tokens-file.ts";
import { parseClaims } from "../../../packages/limbeck/src/cli/catalog/catalog.ts";
import { batchFromText } from "../../../packages/core/src/credit/batch-json.ts";
import { chatCompletions } from "../../../packages/worlds/src/agent/chat-completions.ts";
import { createResponses } from "../../../packages/worlds/src/agent/responses.ts";
import { openGameEpisode } from "../../../packages/worlds/src/alfworld/episode.ts";
import { parseDomain } from "../../../packages/worlds/src/alfworld/domain.ts";
import { parseGameFile } from "../../../packages/worlds/src/alfworld/game-file.ts";
import { parseProblem } from "../../../packages/worlds/src/alfworld/entities.ts";
import { parseGame } from "../../../packages/worlds/src/alfworld/game.ts";
import { parseGrammar } from "../../../packages/worlds/src/alfworld/grammar.ts";
import { createCorridor } from "../../../packages/core/src/env/corridor.ts";
import { readTasks } from "../../../packages/worlds/src/mcp/task-file.ts";
import { actionCodec } from "../../../packages/worlds/src/openenv/action-codec.ts";
import { createSession } from "../../../packages/worlds/src/openenv/serve-session.ts";
import { loadCorpus, loadQuestions } from "../../../packages/worlds/src/research/load.ts";
import { readReply as readAnswer } from "../../../packages/worlds/src/research/episode.ts";
import { loadShop } from "../../../packages/worlds/src/shop/load.ts";
import { parseAction } from "../../../packages/base/src/trajectory/tool-action.ts";
import { keyedJob, parseJob } from "../../../packages/remote/src/fleet/job.ts";
import { loadTable } from "../../../packages/policy/src/policy/tabular/tabular-policy.ts";
import { readRemoteCheckpoint } from "../../../packages/policy/src/policy/tinker/tinker-policy.ts";
import { readFeedback } from "../../../packages/store/src/record/feedback.ts";
import { BudgetSpent, compileLinear } from "../../../packages/recorder/src/linear-pattern.ts";
import { readSkills } from "../../../packages/recorder/src/skills.ts";
import { readReply } from "../../../packages/core/src/reward/judge-reply.ts";
import { readRewardPlan } from "../../../packages/core/src/reward/plan-file.ts";
import { agentSkillFaults } from "../../../packages/core/src/skill/install/agent-skill.ts";
import { readSkillFile, writeSkillFile } from "../../../packages/core/src/skill/library/skill-file.ts";
import { readUses } from "../../../packages/core/src/skill/library/statistics.ts";
import {
  commitBytes,
  EMPTY_FOLD,
  parseCheckpoint,
  parseCommit,
} from "../../../packages/store/src/store/commit-format.ts";
import { readPass } from "../../../packages/remote/src/tinker-server/server.ts";
import * as wire from "../../../packages/base/src/base/protobuf.ts";
import { readCard } from "../../../packages/training/src/training/scorer/card.ts";
import { tinyGame } from "../../support/tiny-game.ts";
import { jsonSeed, type TargetKind, textSeed, textTarget, valueTarget } from "../target.ts";

const { pddl_domain: DOMAIN, pddl_problem: PROBLEM, grammar: GRAMMAR } = tinyGame();
const TASK = { id: "t", env: "alfworld", seed: 1, goal: "light the lamp", split: "train" };

const SKILL = `---
name: heat-it
description: How to heat things.
level: task
status: candidate
when:
  goals: ["put a hot {1} in {2}."]
evidence:
  - trajectory: t1
    steps: [2]
support: { successes: 3, failures: 1 }
---

This worked: heat the {1} with the microwave.
`;

const JOB = keyedJob({
  run: "r",
  env: { id: "household", options: { dial: "tiny" } },
  task: { id: "t", env: "household", seed: 1, goal: "g", split: "train" },
  strategy: { name: "group", options: { size: 2 } },
  seed: 7,
  prefix: "",
  agent: { kind: "script", name: "guesser" },
  peers: 0,
  episode: {},
  attempts: 3,
  concurrency: 64,
  deliver: { to: "caller" },
});

function pass(): Buffer {
  const int32 = new Uint8Array(Int32Array.of(3, 1, 4).buffer);
  const float32 = new Uint8Array(Float32Array.of(0, 0.5, 1).buffer);
  const entry = (name: string, value: Uint8Array): Uint8Array => wire.message(wire.bytes(1, name), value);
  const weights = wire.message(wire.bytes(1, float32), wire.integer(3, 1));
  const datum = wire.message(
    wire.bytes(1, wire.bytes(1, wire.bytes(1, int32))),
    wire.bytes(2, entry("weights", wire.bytes(2, weights))),
  );
  const config = wire.bytes(5, entry("clip_low_threshold", wire.double(2, 0.8)));
  return Buffer.from(
    wire.message(wire.bytes(1, "model_1"), wire.integer(2, 7), wire.bytes(3, datum), wire.bytes(4, "ppo"), config),
  );
}

/** A reader of one file that is asked for by its path or its folder. */
function oneFile(
  reads: string,
  name: string,
  seeds: readonly (string | object)[],
  read: (path: string, folder: string) => Promise<unknown>,
): TargetKind {
  return {
    open: async ({ folder }) => ({
      reads,
      seeds: seeds.map((seed) => (typeof seed === "string" ? textSeed(seed, name) : jsonSeed(seed, name))),
      run: async ({ bytes }) => {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, name), bytes);
        return await read(join(folder, name), folder);
      },
    }),
  };
}

const PRODUCT = {
  asin: "B000000001",
  name: "red mug",
  category: "kitchen",
  query: "mug",
  product_category: "Home › Kitchen",
  full_description: "A mug.",
  small_description: ["Holds tea."],
  pricing: "$9.99",
  customization_options: { color: [{ value: "red", image: null }] },
  images: ["x"],
};

export const textTargets: Readonly<Record<string, TargetKind>> = {
  "alfworld-game": textTarget("worlds/alfworld", [JSON.stringify(tinyGame())], async (text) => {
    const game = parseGame(parseGameFile(text));
    const episode = openGameEpisode(TASK, game, { maxSteps: 5, winReward: 1, hiddenCommands: [] });
    const [first = "look"] = episode.admissible?.() ?? [];
    await episode.step(first);
    return episode.observation;
  }),
  "pddl-domain": textTarget("worlds/alfworld/domain.ts", [DOMAIN], parseDomain),
  "pddl-problem": textTarget("worlds/alfworld/problem.ts", [PROBLEM], (text) =>
    parseProblem(text, parseDomain(DOMAIN)),
  ),
  "pddl-grammar": textTarget("worlds/alfworld/grammar.ts", [GRAMMAR], (text) => parseGrammar(text)),
  "mcp-tasks": oneFile(
    "worlds/mcp/task-file.ts",
    "tasks.jsonl",
    [
      '{"goal":"Say 4","split":"train","check":{"answer":["4"],"calls":[{"name":"add","arguments":{"a":1}}]}}\n{"goal":"x","check":{"mentions":"y"}}\n',
    ],
    (path) => readTasks(path, "mcp"),
  ),
  "research-questions": textTarget(
    "worlds/research/load.ts",
    ['[{"id":"q1","question":"Who wrote Emma?","answer":"Jane Austen","supporting_facts":[["Emma",0]]}]'],
    loadQuestions,
  ),
  "research-corpus": textTarget(
    "worlds/research/load.ts",
    ['{"title":"Emma","text":"A novel."}\n{"id":"2","contents":"\\"X\\" y"}', '{"Emma":["A novel."],"Y":["z"]}'],
    loadCorpus,
  ),
  "research-reply": textTarget("worlds/research/reply.ts", ["<think>x</think><search>Emma</search>"], readAnswer),
  "shop-items": oneFile("worlds/shop/load.ts", "items.json", [[PRODUCT]], async (path, folder) => {
    const instructions = join(folder, "instructions.json");
    await writeFile(instructions, JSON.stringify({ B000000001: { attributes: ["red"], instruction: "find a mug" } }));
    return (await loadShop({ items: path, instructions })).report;
  }),
  "tool-action": textTarget("trajectory/tool-action.ts", ['find_user({"name":"Ann","zip":"1"})', "hello"], parseAction),
  "openenv-message": {
    open: async () => {
      const world = { env: createCorridor(), demonstrators: {}, snapshots: new Map(), nextIndex: () => 0 };
      return {
        reads: "worlds/openenv/serve-session.ts",
        seeds: [
          jsonSeed({ type: "reset", data: { seed: 3, split: "train", index: 1, episode_id: "e" } }),
          jsonSeed({ type: "step", data: { text: "forward", metadata: { a: 1 } } }),
          jsonSeed({ type: "restore", data: { snapshot: "x" } }),
        ],
        run: async ({ bytes }) => {
          const session = createSession(world);
          try {
            await session.handle(JSON.stringify({ type: "reset", data: {} }));
            return await session.handle(bytes.toString());
          } finally {
            await session.close();
          }
        },
      };
    },
  },
  "openenv-schema": valueTarget(
    "worlds/openenv/action-codec.ts",
    [{ type: "object", properties: { text: { type: "string" }, n: { type: "integer" } }, required: ["text"] }],
    (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      return JSON.stringify(actionCodec(value as never));
    },
  ),
  "agent-chat": valueTarget(
    "worlds/agent/chat-completions.ts",
    [
      {
        model: "m",
        messages: [{ role: "user", content: [{ type: "text", text: "x" }] }],
        tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
        tool_choice: "required",
        response_format: { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } },
      },
    ],
    (value) => chatCompletions.read(value),
  ),
  "agent-responses": valueTarget(
    "worlds/agent/responses.ts",
    [{ model: "m", input: [{ role: "user", content: [{ type: "input_text", text: "x" }] }], tools: [], stream: true }],
    (value) => createResponses().read(value),
  ),
  "fleet-job": valueTarget("fleet/job.ts", [JOB], (value) => parseJob(value)),
  "tinker-protobuf": {
    open: async () => ({
      reads: "tinker-server/messages.ts",
      seeds: [{ name: "pass", bytes: pass() }],
      run: async ({ bytes }) => readPass(bytes),
    }),
  },
  "skill-file": textTarget("skill/library/skill-file.ts", [SKILL], (text) => {
    const read = readSkillFile(text, "SKILL.md");
    return readSkillFile(writeSkillFile(read), "SKILL.md").skill;
  }),
  "agent-skill": textTarget("skill/install/agent-skill.ts", [SKILL], (text) => agentSkillFaults(text, "heat-it")),
  "skill-uses": textTarget(
    "skill/library/statistics.ts",
    ['{"at":"2026-01-01T00:00:00Z","offered":true,"success":true,"by":"x"}\n'],
    readUses,
  ),
  "injected-skills": valueTarget(
    "record/recorder/skills.ts",
    [{ skills: [{ id: "a", name: "a", text: "Do it.", when: { goals: ["x {1}"] } }] }],
    (value) => {
      try {
        return readSkills(value);
      } catch (error) {
        // The recorder is a package of its own, without the engine's errors.
        if (error instanceof TypeError && error.message.startsWith("Skills must be")) return undefined;
        throw error;
      }
    },
  ),
  "reward-plan": valueTarget(
    "reward/plan-file.ts",
    [
      {
        rewards: [
          { use: "outcome", weight: 1 },
          { use: "efficiency", weight: { 0: 1, 20: 0.2 }, when: { reward: "outcome", least: 1 }, options: {} },
        ],
        unscored: "leave-out",
      },
    ],
    (value) => readRewardPlan(value),
  ),
  "arena-plan": valueTarget(
    "arena/plan.ts",
    [
      {
        version: 1,
        arms: [{ name: "a", recipe: "grpo" }],
        seeds: [1],
        env: "household",
        model: "my-model",
        budget: { account: "steps", amount: 10 },
      },
    ],
    (value) => readPlan(value, "the plan"),
  ),
  tune: oneFile(
    "arena/tune/stored-tune.ts",
    "tune.json",
    [{ version: 1, budget: { account: "steps", amount: 3 }, jobs: 1, trials: [], words: [], plan: {}, rounds: [] }],
    (_path, folder) => storedTune(folder),
  ),
  "judge-reply": textTarget(
    "reward/judge-reply.ts",
    ['Reasons. {"correct": 4, "polite": {"score": "3/5"}}', "**correct**: 4/5\npolite: 2"],
    (text) => readReply(text, ["correct", "polite"], { least: 0, most: 5 }),
  ),
  "credit-batch": textTarget(
    "credit/batch-json.ts",
    [{ rows: [{ task: "sum", trajectory: "a", step: 0, mask: [1, 1] }], trajectories: { a: { outcome: 1 } } }],
    batchFromText,
  ),
  "store-commit": textTarget(
    "store/commit-format.ts",
    [commitBytes(EMPTY_FOLD).toString(), commitBytes({ ...EMPTY_FOLD, number: 3 }).toString()],
    (text) => {
      try {
        return parseCommit(text, "1.json", 1);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        return parseCheckpoint(text, "1.json", 3);
      }
    },
  ),
  "search-pattern": textTarget(
    "record/recorder/linear-pattern.ts",
    ["(a|b)+c{2,3}[^x-z]\\d", "^CUST-[0-9]{6}$"],
    (text) => {
      let pattern;
      try {
        pattern = compileLinear(text.slice(0, 2_000));
      } catch (error) {
        // Who gives a pattern is told so by the caller, as at a regular expression.
        if (error instanceof SyntaxError) return undefined;
        throw error;
      }
      const rng = createRng(text.length);
      const letters = Array.from({ length: 400 }, () => "abcxyz019-"[rng.int(10)]).join("");
      try {
        return pattern.find(letters, 0, { steps: 1_000_000 });
      } catch (error) {
        // The bound that keeps a pattern from blocking.
        if (error instanceof BudgetSpent) return undefined;
        throw error;
      }
    },
  ),
  feedback: valueTarget(
    "record/feedback.ts",
    [{ success: true, score: 0.5, rewards: { a: 1 }, comment: "x" }],
    readFeedback,
  ),
  "tokens-file": oneFile(
    "base/tokens-file.ts",
    "tokens.json",
    [
      {
        limbeck: "tokens",
        v: 1,
        tokens: [{ name: "a", role: "read", salt: "0".repeat(32), hash: "0".repeat(64), made: "2026-01-01T00:00:00Z" }],
      },
    ],
    async (path) => listTokens(path),
  ),
  "table-policy": oneFile(
    "policy/tabular/table-learner.ts",
    "table.json",
    [{ version: 1, step: 2, shift: [0, 1], first: [0, 0], second: [0, 0] }],
    async (_path, folder) => {
      const table = { shift: new Float32Array(2), changed: () => undefined };
      const state = { first: new Float32Array(2), second: new Float32Array(2), step: 0 };
      return await loadTable(folder, { table, state } as never);
    },
  ),
  "remote-checkpoint": oneFile(
    "policy/tinker/tinker-policy.ts",
    "tinker.json",
    [
      {
        trainer: "http://x",
        path: "tinker://m/weights/w",
        baseModel: "m",
        rank: 2,
        version: 1,
        steps: 3,
        progress: {},
      },
    ],
    (_path, folder) => readRemoteCheckpoint(folder),
  ),
  "scorer-card": oneFile(
    "training/scorer/card.ts",
    "scorer.json",
    [{ form: 1, labels: "x", loss: "bce", platt: { slope: 1, shift: 0 }, base: "bundled:household" }],
    (_path, folder) => readCard(folder),
  ),
  claims: textTarget(
    "cli/catalog/catalog.ts",
    [
      "AndroidWorld:\n  state: part\n  lives: packages/remote/src/fleet\n  missing: >-\n    Splits by instance.\nPlan-RewardBench:\n  state: not yet\n  waits: y\n",
    ],
    parseClaims,
  ),
};
