import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { packEpisodes, unpackEpisodes } from "./packed-episodes.ts";

test("episodes come back as they were packed", async () => {
  const episode = madeFrom("a");
  expect(await unpackEpisodes(await packEpisodes([episode]), "job")).toEqual([episode]);
});

test("what was put into Redis in their place is refused by name", async () => {
  const nested = gzipSync(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  for (const bytes of [Buffer.from("no gzip"), gzipSync("{}"), nested]) {
    await expect(unpackEpisodes(bytes, "job-7")).rejects.toMatchObject({
      code: "bad-job",
      message: expect.stringContaining("The result of job job-7") as string,
    });
  }
});
