/** The dashboard shows what our pages really tell: every number in it stands on /metrics of a server, and every one of those is in it. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCorridor } from "../packages/core/src/env/corridor.ts";
import { startEnvServer } from "../packages/worlds/src/openenv/server.ts";
import { serveStatus } from "../packages/remote/src/fleet/status-server.ts";
import { startProxy } from "../packages/store/src/record/proxy.ts";
import { createRedactor } from "../packages/recorder/src/redact.ts";
import { startStudio } from "../packages/studio/src/serve/server.ts";
import { testTrainer } from "./support/trainer.ts";

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const nothing = (): Promise<void> => Promise.resolve();
const status = () => ({ open: 0, stored: 0, dropped: 0 });
const recordings = {
  add: () => undefined,
  addTrajectory: nothing,
  save: nothing,
  tick: nothing,
  status,
  close: nothing,
};
const report = () =>
  ({ name: "w", state: "idle", active: 0, jobs: 0, episodes: 0, failed: 0, secondsPerJob: 0 }) as never;

test("every number of the dashboard is on a page of ours, and the other way round", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-grafana-"));
  const token = "a-token-that-is-long-enough";
  const servers = [
    await startStudio({ root: folder, version: "1", token }),
    await startEnvServer({ env: createCorridor() }),
    await startProxy({ recordings, redactor: createRedactor() }),
    await serveStatus(report, { host: "127.0.0.1", port: 0 }),
  ];
  const told = new Set<string>();
  for (const { url } of [...servers, await testTrainer()]) {
    const page = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect(page.status).toBe(200);
    for (const [, name = ""] of (await page.text()).matchAll(/^# TYPE (\w+) /gm)) told.add(name);
  }
  for (const server of servers) await server.close();
  await rm(folder, { recursive: true, force: true });
  const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, "../deploy/grafana.json"), "utf8")) as {
    readonly panels: readonly Panel[];
  };
  const used = new Set(
    dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/\b(?:limbeck|process)_\w+/g) ?? []),
    ),
  );
  expect([...used].sort()).toEqual([...told].sort());
});
