import { expect, test } from "vitest";
import { createMemory } from "./memory.ts";

const opening =
  "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a cabinet 2, a cabinet 1, a fridge 1, and a sinkbasin 1.\n\nYour task is to: put a mug in fridge.";

test("remembers what stands where, what is shut, what was taken and put", () => {
  const { memory, notice } = createMemory();
  notice({ action: undefined, observation: opening });
  expect(memory.receptacles).toEqual(["cabinet 2", "cabinet 1", "fridge 1", "sinkbasin 1"]);
  notice({ action: "go to cabinet 1", observation: "You arrive at cabinet 1. The cabinet 1 is closed." });
  expect([...memory.shut]).toEqual(["cabinet 1"]);
  expect(memory.atHand).toEqual(["cabinet 1"]);
  const opened = "You open the cabinet 1. The cabinet 1 is open. In it, you see a mug 2, and a plate 1.";
  notice({ action: "open cabinet 1", observation: opened });
  expect(memory.contents.get("cabinet 1")).toEqual(["mug 2", "plate 1"]);
  expect(memory.shut.size).toBe(0);
  notice({ action: "take mug 2 from cabinet 1", observation: "You pick up the mug 2 from the cabinet 1." });
  expect(memory.held).toBe("mug 2");
  expect(memory.contents.get("cabinet 1")).toEqual(["plate 1"]);
  notice({
    action: "go to sinkbasin 1",
    observation: "You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.",
  });
  notice({ action: "clean mug 2 with sinkbasin 1", observation: "You clean the mug 2 using the sinkbasin 1." });
  expect(memory.wasTreated("mug 2", "clean")).toBe(true);
  notice({ action: "move mug 2 to sinkbasin 1", observation: "You move the mug 2 to the sinkbasin 1." });
  expect(memory.held).toBeUndefined();
  expect(memory.contents.get("sinkbasin 1")).toEqual(["mug 2"]);
});

test("heat takes the cold away", () => {
  const { memory, notice } = createMemory();
  notice({ action: "cool mug 1 with fridge 1", observation: "You cool the mug 1 using the fridge 1." });
  expect(memory.wasTreated("mug 1", "cool")).toBe(true);
  notice({ action: "heat mug 1 with microwave 1", observation: "You heat the mug 1 using the microwave 1." });
  expect(memory.wasTreated("mug 1", "cool")).toBe(false);
});

test("takes what is at hand from the list of accepted commands, or from a refused walk", () => {
  const { memory, notice } = createMemory();
  notice({ action: undefined, observation: opening });
  const observation = "You arrive at cabinet 1. The cabinet 1 is closed.";
  notice({ action: "go to cabinet 1", observation, admissible: ["examine cabinet 1", "examine cabinet 2", "look"] });
  expect(memory.atHand).toEqual(["cabinet 2", "cabinet 1"]);
  notice({ action: "go to fridge 1", observation: "You arrive at fridge 1. The fridge 1 is closed." });
  notice({ action: "go to sinkbasin 1", observation: "Nothing happens." });
  expect(memory.atHand).toEqual(["fridge 1", "sinkbasin 1"]);
});
