import { describe, expect, test } from "vitest";
import { played } from "../../../../../test/support/played.ts";
import { abstractTokens, generalise, sayPatterns, type Way } from "./generalise.ts";
import { fillPlaces, fitShape, groupByShape, shapeOf, thingWords } from "./goal-shapes.ts";

function way(task: string, values: readonly string[], actions: readonly string[]): Way {
  const trajectory = played(
    task,
    true,
    actions.map((action, at) => [`s${at}`, action]),
  );
  return { task, values, moves: trajectory.steps.map((step) => ({ trajectory, step })), passing: new Set(["go"]) };
}

describe("shapes of goals", () => {
  const episode = (goal: string, actions: readonly string[]) => {
    const trajectory = played(
      goal,
      true,
      actions.map((action, at) => [`s${at}`, action]),
    );
    return { ...trajectory, task: { ...trajectory.task, id: goal, goal } };
  };
  const episodes = [
    episode("put a hot egg in fridge.", [
      "take egg 1 from sink 1",
      "heat egg 1 with microwave 1",
      "move egg 1 to fridge 1",
    ]),
    episode("put a hot cup in shelf.", [
      "take cup 2 from desk 1",
      "heat cup 2 with microwave 1",
      "move cup 2 to shelf 1",
    ]),
    episode("clean some cup and put it in fridge.", ["take cup 2 from desk 1", "clean cup 2 with sink 1"]),
  ];

  test("words that were acted on are places; words that name actions are not", () => {
    const things = thingWords(episodes);
    expect([...things].sort()).toEqual(["cup", "egg", "fridge", "shelf"]);
    expect(shapeOf("clean some cup and put it in fridge.", things)).toEqual({
      text: "clean some {1} and put it in {2}.",
      values: ["cup", "fridge"],
    });
    expect(shapeOf("an egg beside an egg", things)).toEqual({ text: "an {1} beside an {1}", values: ["egg"] });
    expect(groupByShape(episodes).map(({ shape, members }) => [shape, members.length])).toEqual([
      ["put a hot {1} in {2}.", 2],
      ["clean some {1} and put it in {2}.", 1],
    ]);
  });

  test("a goal of the shape gives the values, any other none", () => {
    expect(fitShape("put a hot {1} in {2}.", "Put a hot  apple in garbagecan.")).toEqual(["apple", "garbagecan"]);
    expect(fitShape("put a hot {1} in {2}.", "put a cool apple in fridge.")).toBeUndefined();
    expect(fitShape("{1} and {1}", "cup and egg")).toBeUndefined();
    expect(fitShape("cost (in $) of {1}", "cost (in $) of tea")).toEqual(["tea"]);
    expect(fillPlaces("heat the {1}, then the {3}", ["egg"])).toBe("heat the egg, then the it");
  });

  test("free text joins what it shares most words with; nothing else does", () => {
    const asks = ["Refund the broken lamp please", "Refund the broken lamp, thanks", "Sing a song about rivers"];
    const groups = groupByShape(
      asks.map((goal) => episode(goal, ["answer"])),
      0.4,
    );
    expect(groups.map(({ members }) => members.length)).toEqual([2, 1]);
  });
});

describe("what ways have in common", () => {
  test("the steps most of them have, in their order, without walks and without other things", () => {
    const ways = [
      way(
        "a",
        ["egg", "fridge"],
        [
          "go to sink 1",
          "take egg 1 from sink 1",
          "go to microwave 1",
          "heat egg 1 with microwave 1",
          "move egg 1 to fridge 1",
        ],
      ),
      way(
        "b",
        ["cup", "shelf"],
        ["take cup 2 from desk 3", "heat cup 2 with microwave 1", "open shelf 1", "move cup 2 to shelf 1"],
      ),
      way("c", ["pan", "desk"], ["take pan 1 from stove 1", "heat pan 1 with microwave 1", "move pan 1 to desk 2"]),
    ];
    const patterns = generalise(ways);
    expect(sayPatterns(patterns)).toBe("take the {1}; heat the {1} with the microwave; move the {1} to the {2}");
    expect(patterns.map(({ support }) => support)).toEqual([3, 3, 3]);
    expect(patterns[1]?.links).toEqual([
      { trajectory: "a", steps: [3] },
      { trajectory: "b", steps: [1] },
      { trajectory: "c", steps: [1] },
    ]);
  });

  test("a second thing of a kind stays a second thing, whatever its number", () => {
    const ways = [
      way(
        "a",
        ["cup", "shelf"],
        ["take cup 3 from desk 1", "move cup 3 to shelf 1", "take cup 1 from bed 1", "move cup 1 to shelf 1"],
      ),
      way(
        "b",
        ["pen", "desk"],
        ["take pen 1 from bed 1", "move pen 1 to desk 1", "take pen 2 from sofa 1", "move pen 2 to desk 1"],
      ),
    ];
    expect(sayPatterns(generalise(ways))).toBe(
      "take the {1}; move the {1} to the {2}; take another {1}; move the other {1} to the {2}",
    );
  });

  test("tool calls keep the names of their arguments", () => {
    const ways = [
      way("a", ["4711"], ["lookup id=4711", "refund amount=12 id=4711"]),
      way("b", ["99"], ["lookup id=99", "refund amount=7 id=99"]),
    ];
    expect(sayPatterns(generalise(ways))).toBe("lookup id={1}; refund amount=… id={1}");
  });

  test("a step that few ways have is left out; without ways there is nothing", () => {
    const ways = [
      way("a", ["egg"], ["take egg 1"]),
      way("b", ["cup"], ["take cup 1", "wash cup 1"]),
      way("c", ["pan"], ["take pan 1"]),
    ];
    expect(sayPatterns(generalise(ways))).toBe("take the {1}");
    expect(generalise([])).toEqual([]);
    expect(abstractTokens("look", ["egg"])).toEqual(["look"]);
  });
});

test("the last argument of a tool call keeps its place, whatever stood there", () => {
  const ways = [
    way("a", ["1042"], ["cancel_order order_id=1042 reason=late"]),
    way("b", ["1077"], ["cancel_order order_id=1077 reason=wrong book"]),
    way("c", ["1080"], ["cancel_order order_id=1080 reason=broken"]),
  ];
  expect(sayPatterns(generalise(ways))).toBe("cancel_order order_id={1} reason=…");
});
