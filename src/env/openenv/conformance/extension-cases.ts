/** Our extensions: announced in the metadata, and refused with UNKNOWN_TYPE by everybody else. */
import { canonicalJson, type CaseTable } from "../../../base/index.ts";
import { expectThat, Lacks, onServer } from "../../../base/conformance.ts";
import { onSocket, type OpenEnvBench } from "./bench.ts";

const RESET = { type: "reset", data: { seed: 7 } };

function announced({ server }: OpenEnvBench): NonNullable<OpenEnvBench["server"]["extension"]> {
  if (server.extension === undefined) throw new Lacks("not announced");
  return server.extension;
}

export const extensionCases: CaseTable<OpenEnvBench> = {
  tasks: onServer("the announced splits list their tasks, always the same", "profile", async (bench) => {
    const [split] = Object.keys(announced(bench).splits);
    const path = `/tasks?split=${encodeURIComponent(split ?? "")}&offset=0&count=2`;
    const [first, again] = [await bench.get(path), await bench.get(path)];
    expectThat(first.status === 200 && Array.isArray(first.json?.["tasks"]), first.text.slice(0, 120));
    expectThat(first.text === again.text, "the second list is another");
  }),
  snapshot: onServer(
    "a snapshot restored on a second connection shows the same and goes on by itself",
    "profile",
    async (bench) => {
      if (!announced(bench).snapshot) throw new Lacks("announced as missing");
      await bench.withSocket(async (original) => {
        const begun = await original.want(RESET, "observation");
        const taken = await original.want({ type: "snapshot" }, "snapshot");
        await bench.withSocket(async (copy) => {
          const restored = await copy.want({ type: "restore", data: taken }, "observation");
          const same = canonicalJson(restored["observation"] ?? null) === canonicalJson(begun["observation"] ?? null);
          expectThat(same, "the restored observation is another");
          await copy.want({ type: "step", data: bench.action }, "observation");
          const { step_count: count } = await original.want({ type: "state" }, "state");
          expectThat(count === 0, "a step of the copy moved the original");
        });
        await original.want({ type: "release", data: taken }, "released");
        const gone = await original.ask({ type: "restore", data: taken });
        expectThat(gone.type === "error", "a released snapshot can still be restored");
      });
    },
  ),
  "snapshot-probe": onSocket("whoever has no snapshots answers UNKNOWN_TYPE", "profile", async (socket, bench) => {
    await socket.want(RESET, "observation");
    const { type, data } = await socket.ask({ type: "snapshot" });
    const has = bench.server.extension?.snapshot === true;
    if (has) expectThat(type === "snapshot", `announced, but answered with ${type}`);
    else expectThat(data["code"] === "UNKNOWN_TYPE", `not announced, but answered with ${type}`);
    return has ? "has them" : "has none";
  }),
};
