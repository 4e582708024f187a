/** What a server says of itself over HTTP, and what its stateless routes do. */
import { isObject, type CaseTable } from "../../../base/index.ts";
import { Differs, expectThat, Lacks, onServer } from "../../../base/conformance.ts";
import type { OpenEnvBench, RawAnswer } from "./bench.ts";

function expectStatus(answer: RawAnswer, allowed: readonly number[]): void {
  const { status, text } = answer;
  expectThat(
    allowed.includes(status),
    `status ${status} where ${allowed.join(" or ")} is expected: ${text.slice(0, 120)}`,
  );
}

export const routeCases: CaseTable<OpenEnvBench> = {
  health: onServer('health answers {status: "healthy"}', "required", async (bench) => {
    const answer = await bench.get("/health");
    expectStatus(answer, [200]);
    expectThat(answer.json?.["status"] === "healthy", answer.text.slice(0, 80));
  }),
  metadata: onServer("metadata has a name and a description", "required", async (bench) => {
    const answer = await bench.get("/metadata");
    expectStatus(answer, [200]);
    const { name, description } = answer.json ?? {};
    if (typeof name === "string" && typeof description === "string") return name;
    throw new Differs(answer.text.slice(0, 120));
  }),
  schema: onServer("schema has those of action, observation and state", "required", async (bench) => {
    const answer = await bench.get("/schema");
    expectStatus(answer, [200]);
    const missing = ["action", "observation", "state"].filter((name) => !isObject(answer.json?.[name]));
    expectThat(missing.length === 0, `missing: ${missing.join(", ")}`);
  }),
  "http-reset": onServer("reset over HTTP answers {observation, reward, done}", "profile", async (bench) => {
    const answer = await bench.post("/reset", { seed: 1 });
    if (answer.status === 404) throw new Lacks("no such route");
    expectStatus(answer, [200]);
    expectThat(isObject(answer.json?.["observation"]) && "done" in (answer.json ?? {}), answer.text.slice(0, 120));
  }),
  "http-bad-reset": onServer("a reset over HTTP with a negative seed is 422", "profile", async (bench) => {
    const answer = await bench.post("/reset", { seed: -1 });
    if (answer.status === 404) throw new Lacks("no such route");
    expectStatus(answer, [422]);
  }),
  "http-step-refused": onServer(
    "a step over HTTP, which has no episode to go on with, is refused",
    "fault",
    async (bench) => {
      const { status } = await bench.post("/step", { action: bench.action });
      if (status === 404) throw new Lacks("no such route");
      expectThat(status >= 400, `status ${status}: a fresh world takes the step and is gone`);
      expectThat(status < 500, `status ${status}: the server fails`);
      return `refused with ${status}`;
    },
  ),
};
