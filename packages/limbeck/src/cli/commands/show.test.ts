import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());

const show = (...words: string[]) => limbeck(["show", ...words, "--store", store.root]);

test("a whole trajectory, with its tokens", async () => {
  const { code, out, err } = await show("kitchen-1", "--tokens");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(`kitchen-1  run demo
task     mug-1 · household · train · seed 7
goal     put a clean mug on the desk
policy   local · tiny · version 3
group    mug-1
size     3 steps · 7 tokens sampled · 11 in all · 1.5 s
branches 1

── step 0 ${"─".repeat(90)}
│ You are in the kitchen. You see a mug and a sink.
❯ take mug
# 2 tokens · mean log-probability -0.375 · version 3
# 30:-0.50 31:-0.25

── step 1 ${"─".repeat(72)} invalid action ──
│ You hold a dirty mug.
❯ fly to desk
# 3 tokens · mean log-probability -2 · version 3
# 40:-1.00 41:-2.00 42:-3.00
★ effort unscored (the judge gave no number), from judge
⑂ instead: kitchen-2 inside the response, after 1 token (1 step, success · reward 1)

── step 2 ${"─".repeat(76)} reward 0.5 ──
│ Nothing happens.
❯ clean mug with sink
# 2 tokens · mean log-probability -0.125 · version 3
# 50:-0.13 51:-0.13

── end ${"─".repeat(80)} truncated ──
│ The mug is clean.
★ tidiness 0.25, from judge “left the tap on”
✗ no success · reward 0.5
`);
});

test("a branch says where it came from; a chat shows roles and tool calls", async () => {
  const { out } = await show("kitchen-2");
  expect(out).toContain("from     kitchen-1 at step 1, after 1 token of its response\n");
  expect(out).toContain(`│ tool call-1
│ You hold a dirty mug.
· Clean it first.
⚙ clean({"thing":"mug","with":"sink"})
`);
  expect(out).toContain("✓ success · reward 1\n");
});

test("the beginning of an id is enough when it is the only one", async () => {
  expect((await show("host")).out).toContain("hostile-1  run evil");
  const several = await show("kitchen");
  expect([several.code, several.err]).toEqual([
    2,
    'error    "kitchen" begins 2 ids: kitchen-1, kitchen-2. Give more of the id.\n',
  ]);
  const slip = await show("kitchne-1");
  expect(slip.code).toBe(2);
  expect(slip.err).toContain('No trajectory "kitchne-1". Did you mean "kitchen-1"?');
  expect((await show("kitchen-1", "--run", "evil")).err).toContain('No trajectory "kitchen-1".');
  expect((await show("x'; drop table y; --")).err).toContain('No trajectory "x\'; drop table y; --".');
});

test("hostile text is shown, not obeyed, in colour and without", async () => {
  for (const terminal of [
    { out: true, err: true, columns: 60 },
    { out: false, err: false },
  ]) {
    const { out } = await limbeck(["show", "hostile-1", "--store", store.root], { terminal });
    // oxlint-disable-next-line no-control-regex -- the colours of the command itself
    const bare = out.replaceAll(/\u001b\[\d+m/g, "");
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    expect(bare).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(bare).toContain("\\x1b]0;owned\\x07\\x9b31mred");
    expect(bare).toContain("✗ env-lost: gone\\x1b[0m");
  }
});

test("JSON holds the whole trajectory and its branches", async () => {
  const [object] = (await show("kitchen-1", "--json")).objects();
  expect(object).toMatchObject({
    run: "demo",
    id: "kitchen-1",
    ending: "truncated",
    branches: [{ id: "kitchen-2", step: 1, token: 1, steps: 1, reward: 1, success: true }],
  });
  expect(object).toHaveProperty("streams.0.ids", [1, 2, 30, 31, 3, 40, 41, 42, 4, 50, 51]);
});
