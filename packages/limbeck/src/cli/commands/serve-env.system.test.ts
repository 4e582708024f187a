import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import { startEnvServer, type EnvServer } from "limbeck-worlds/openenv/server";

let server: EnvServer;
beforeAll(async () => {
  server = await startEnvServer({ env: createCorridor() });
});
afterAll(() => server.close());

const SERVE = ["serve-env", "--env", "household", "--set", "dial=tiny", "--port", "0", "--for", "0"];

test("says where it listens and how to play there", async () => {
  const { code, out } = await limbeck(SERVE);
  expect(code).toBe(0);
  expect(out).toMatch(
    /Serving household\. Play in it:\n {2}limbeck rollout --env openenv --env-set url=ws:\/\/127\.0\.0\.1:\d+/,
  );
  const keyed = await limbeck([...SERVE, "--json"], { env: { LIMBECK_OPENENV_KEY: "secret" } });
  expect(keyed.objects()[0]).toMatchObject({ event: "listening", world: "household", key: true });
});

test("beyond this machine it needs a key, and a taken port is told", async () => {
  const { code, err } = await limbeck([...SERVE, "--host", "0.0.0.0"]);
  expect([code, err]).toEqual([2, expect.stringContaining("LIMBECK_OPENENV_KEY")]);
  const taken = await limbeck([...SERVE.slice(0, 5), "--port", String(server.port), "--for", "0"]);
  expect([taken.code, taken.err]).toEqual([2, expect.stringContaining("is taken")]);
});

test("a served world is described and played like any other", async () => {
  const url = `url=${server.url.replace("http", "ws")}`;
  const { objects } = await limbeck(["envs", "openenv", "--set", url, "--json"]);
  expect(objects()[0]).toMatchObject({ id: "openenv", splits: { train: 8, valid: 4 }, maxSteps: 12 });
  const input = "go east\ngo east\ngo east\n";
  const played = await limbeck(["play", "--env", "openenv", "--set", url, "--commands", "-", "--json"], { input });
  expect([played.code, played.objects().at(-1)]).toEqual([
    0,
    expect.objectContaining({ observation: "Room 4.", reward: 1, ending: "terminated", success: true }),
  ]);
});

test("an address where nothing is served is told", async () => {
  const { code, err } = await limbeck(["envs", "openenv", "--set", "url=ws://127.0.0.1:1"]);
  expect([code, err]).toEqual([1, expect.stringContaining("cannot be reached")]);
});

test("limbeck conformance openenv prints its table", async () => {
  const words = ["conformance", "openenv", "--url", server.url, "--case", "health", "--case", "step", "--case", "mcp"];
  const { code, out } = await limbeck([...words, "--action", '{"text": "go east"}']);
  expect(code).toBe(0);
  expect(out).toMatch(/mcp\s+profile\s+lacks\s+no tools/);
  expect(out).toContain("Green: every required case passes. 2 cases of 3 pass, 0 differ, 1 are lacking.");
  expect((await limbeck([...words, "--json"])).objects().at(-1)).toEqual({
    green: true,
    world: "corridor",
    passes: 2,
    differs: 0,
    lacks: 1,
  });
  expect((await limbeck([...words, "--action", "go"])).err).toContain("--action takes a JSON object");
});
