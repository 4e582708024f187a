import { describe, expect, test } from "vitest";
import { played } from "../../../../test/support/played.ts";
import { analystContract } from "./analyst.contract.ts";
import { createSkill } from "./create-skill.ts";
import { createModelAnalyst } from "./model/model.ts";
import { createStatisticsAnalyst } from "./statistics/statistics.ts";
import type { Analyst } from "./skill.ts";

const won = played("won", true, [
  ["room", "look"],
  ["room", "go table"],
  ["table", "finish"],
]);
const lost = played("lost", false, [
  ["room", "look", { observation: "another text" }],
  ["room", "go bed"],
  ["bed", "rest"],
]);
const groups = [[won, lost], [lost, { ...lost, id: "again" }], [won]];
const runner = { describe, test };

const answer = '{"episode_skill":"Be quick.","step_skills":{"1":"Go.","0":"Look.","7":"Fly."}}';
const says = (text: string) => ({ complete: () => Promise.resolve({ text, usage: {} }) }) as never;

analystContract({ name: "statistics", analyst: () => createStatisticsAnalyst(), groups, runner });
analystContract({
  name: "statistics with warnings",
  analyst: () => createStatisticsAnalyst({ warnOfWaste: true, deviation: "either", match: "similar" }),
  groups,
  runner,
});
analystContract({ name: "model", analyst: () => createModelAnalyst({ chat: says(answer) }), groups, runner });
analystContract({ name: "model that fails", analyst: () => createModelAnalyst({ chat: says("no") }), groups, runner });

test("analysts that break their promises are found", async () => {
  const good = createStatisticsAnalyst();
  const skill = createSkill("episode", "Be quick.", [{ trajectory: "won", steps: [99] }]);
  const broken: Record<string, Analyst> = {
    "forgets one": { id: "x", analyse: async (group, options) => (await good.analyse(group, options)).slice(1) },
    "rests on nothing": {
      id: "x",
      analyse: async (group) =>
        group.map(({ id }) => ({ trajectory: id, outcome: "unknown", episodeSkill: skill, stepSkills: new Map() })),
    },
  };
  for (const [name, analyst] of Object.entries(broken)) {
    const runs: (() => Promise<void>)[] = [];
    analystContract({
      name,
      analyst: () => analyst,
      groups,
      runner: { describe: (_, body) => body(), test: (_, body) => runs.push(body) },
    });
    const failures = await Promise.all(
      runs.map((run) =>
        run().then(
          () => "kept",
          (error: unknown) => String(error),
        ),
      ),
    );
    expect(failures.some((text) => text.includes("does not keep its contract"))).toBe(true);
  }
});
