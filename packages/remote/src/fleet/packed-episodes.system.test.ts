import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpackEpisodes } from "./packed-episodes.ts";

test("a bomb is refused before it is unpacked", async () => {
  // 300 MB of blanks in some 290 kB, made in pieces as gzip members that follow each other.
  const bomb = Buffer.concat(Array.from({ length: 10 }, () => gzipSync(Buffer.alloc(30 * 1024 * 1024, 32))));
  await expect(unpackEpisodes(bomb, "job-7")).rejects.toMatchObject({
    code: "bad-job",
    message: expect.stringContaining("The result of job job-7") as string,
  });
});
