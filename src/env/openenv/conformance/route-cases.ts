/** What a server says of itself over HTTP, and what its stateless routes do. */
import { Differs, expectThat, isObject, Lacks, type CaseTable } from "../../../base/index.ts";
import type { OpenEnvBench, RawAnswer } from "./bench.ts";

function expectStatus(answer: RawAnswer, allowed: readonly number[]): void {
  const { status, text } = answer;
  expectThat(
    allowed.includes(status),
    `status ${status} where ${allowed.join(" or ")} is expected: ${text.slice(0, 120)}`,
  );
}

export const routeCases: CaseTable<OpenEnvBench> = {
  health: {
    title: 'health answers {status: "healthy"}',
    kind: "required",
    run: async (bench) => {
      const answer = await bench.get("/health");
      expectStatus(answer, [200]);
      expectThat(answer.json?.["status"] === "healthy", answer.text.slice(0, 80));
    },
  },
  metadata: {
    title: "metadata has a name and a description",
    kind: "required",
    run: async (bench) => {
      const answer = await bench.get("/metadata");
      expectStatus(answer, [200]);
      const { name, description } = answer.json ?? {};
      if (typeof name === "string" && typeof description === "string") return name;
      throw new Differs(answer.text.slice(0, 120));
    },
  },
  schema: {
    title: "schema has those of action, observation and state",
    kind: "required",
    run: async (bench) => {
      const answer = await bench.get("/schema");
      expectStatus(answer, [200]);
      const missing = ["action", "observation", "state"].filter((name) => !isObject(answer.json?.[name]));
      expectThat(missing.length === 0, `missing: ${missing.join(", ")}`);
    },
  },
  "http-reset": {
    title: "reset over HTTP answers {observation, reward, done}",
    kind: "profile",
    run: async (bench) => {
      const answer = await bench.post("/reset", { seed: 1 });
      if (answer.status === 404) throw new Lacks("no such route");
      expectStatus(answer, [200]);
      expectThat(isObject(answer.json?.["observation"]) && "done" in (answer.json ?? {}), answer.text.slice(0, 120));
    },
  },
  "http-bad-reset": {
    title: "a reset over HTTP with a negative seed is 422",
    kind: "profile",
    run: async (bench) => {
      const answer = await bench.post("/reset", { seed: -1 });
      if (answer.status === 404) throw new Lacks("no such route");
      expectStatus(answer, [422]);
    },
  },
  "http-step-refused": {
    title: "a step over HTTP, which has no episode to go on with, is refused",
    kind: "fault",
    run: async (bench) => {
      const { status } = await bench.post("/step", { action: bench.action });
      if (status === 404) throw new Lacks("no such route");
      expectThat(status >= 400, `status ${status}: a fresh world takes the step and is gone`);
      expectThat(status < 500, `status ${status}: the server fails`);
      return `refused with ${status}`;
    },
  },
};
