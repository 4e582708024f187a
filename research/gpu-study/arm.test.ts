import { expect, test } from "vitest";
import { writingsTeller } from "./arm.ts";

test("the log says how many of the writings were usable, in the update and so far", () => {
  const said: Readonly<Record<string, unknown>>[] = [];
  const tell = writingsTeller((event) => void said.push(event));
  tell({ "writer/model": 3, "writer/template": 5, "writer/tokens": 700 });
  // An update without a teacher.
  tell({});
  tell({ "writer/template": 7, "writer/nobody": 1 });
  expect(said).toEqual([
    { event: "writings", writings: 8, usable: 3, soFar: 8, usableSoFar: 3, tokens: 700 },
    { event: "writings", writings: 8, usable: 0, soFar: 16, usableSoFar: 3, tokens: 0 },
  ]);
});
