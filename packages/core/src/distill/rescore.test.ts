import { afterAll, beforeAll, expect, test } from "vitest";
import { corridorDialect, corridorEpisodes, smallModel } from "../../../../test/support/recipe-bench.ts";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import type { Analysis } from "../skill/skill.ts";
import { createStatisticsAnalyst } from "../skill/statistics/statistics.ts";
import { buildTeacherForest } from "../skill/teacher-forest.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { diagnoseTeacher } from "./diagnostics.ts";
import { rescore } from "./rescore.ts";

const forest = { episodeWeight: 1, stepWeight: 1 };
let model: LocalModel;
let episodes: readonly Trajectory[];
const analyses = new Map<string, Analysis>();

beforeAll(async () => {
  model = await smallModel();
  episodes = await corridorEpisodes("rescore");
  for (const { trajectories } of byGroup(episodes)) {
    for (const analysis of await createStatisticsAnalyst().analyse(trajectories, { maxStepSkills: 2 })) {
      analyses.set(analysis.trajectory, analysis);
    }
  }
});
afterAll(() => model.close());

test("an opinion is the score of the response under the enriched prompt", async () => {
  const { opinions, sequences, tokens } = await rescore(episodes, analyses, {
    scorer: model,
    dialect: corridorDialect,
    forest,
  });
  expect(sequences).toBeGreaterThan(episodes.length);
  expect(tokens).toBeGreaterThan(0);
  let compared = 0;
  for (const episode of episodes) {
    const grown = buildTeacherForest(episode, analyses.get(episode.id) as Analysis, corridorDialect, forest);
    for (const { ids, positions, steps, tokens: places, teacher } of grown.sequences) {
      const [alone] = await model.score([{ ids }]);
      positions.forEach((position, at) => {
        const opinion = opinions.get(episode.id)?.get(steps[at] as number)?.[teacher];
        expect(opinion?.[places[at] as number]).toBeCloseTo(alone?.logprob?.[position] as number, 4);
        compared += 1;
      });
    }
  }
  expect(compared).toBeGreaterThan(100);
});

test("whole distributions add up to one and hold the sampled token's own opinion", async () => {
  const { vocabularySize } = model.config;
  const some = episodes.slice(0, 4);
  const { opinions } = await rescore(some, analyses, {
    scorer: model,
    dialect: corridorDialect,
    forest,
    width: { kind: "vocabulary", size: vocabularySize },
  });
  for (const episode of some) {
    for (const { index, span } of episode.steps) {
      const opinion = opinions.get(episode.id)?.get(index);
      const said = episode.streams[span?.stream ?? 0]?.ids.subarray(span?.start, span?.end) ?? [];
      const word = opinion?.step ?? opinion?.episode;
      expect(opinion?.distribution).toHaveLength(said.length * vocabularySize);
      said.forEach((id, token) => {
        const row = opinion?.distribution?.subarray(token * vocabularySize, (token + 1) * vocabularySize) ?? [];
        expect([...row].reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 4);
        expect(row[id]).toBeCloseTo(word?.[token] as number, 4);
      });
    }
  }
});

test("episodes without an analysis have no opinion; the diagnostics count what has one", async () => {
  const [first, second] = episodes as readonly [Trajectory, Trajectory];
  const only = new Map([[first.id, analyses.get(first.id) as Analysis]]);
  const rescored = await rescore([first, second], only, { scorer: model, dialect: corridorDialect, forest });
  expect([...rescored.opinions.keys()]).toEqual([first.id]);
  const sampled = (episode: Trajectory): number =>
    episode.steps.reduce((total, { span }) => total + ((span?.end ?? 0) - (span?.start ?? 0)), 0);
  const { active, all, success, failure, lost } = diagnoseTeacher([first, second], rescored);
  expect(active).toBeCloseTo(sampled(first) / (sampled(first) + sampled(second)), 12);
  expect(all.tokens).toBe(sampled(first));
  expect(success.tokens + failure.tokens).toBe(all.tokens);
  expect(lost).toBe(0);
});

test("likeliest words that bring the sampled tokens' own scores along are asked for once", async () => {
  const { vocabularySize: size } = model.config;
  const asked = { dialect: corridorDialect, forest, width: { kind: "top", count: 3, size } } as const;
  const two = await rescore(episodes, analyses, { ...asked, scorer: model });
  const one = await rescore(episodes, analyses, {
    ...asked,
    scorer: {
      statistics: model.statistics,
      score: () => Promise.reject(new Error("asked a second time")),
      topTokens: async (rows, options) => {
        const [tops, scores] = [await model.topTokens(rows, options), await model.score(rows)];
        return tops.map((top, at) => ({ ...top, own: scores[at]?.logprob as Float32Array }));
      },
    },
  });
  expect(one.opinions).toEqual(two.opinions);
  expect(one.tokens).toBe(two.tokens);
});
