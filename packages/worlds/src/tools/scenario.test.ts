import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyLetter } from "../../../../test/support/any-letter.ts";
import { opening, replyTo, type Scenario, USER_START, type UserState } from "./scenario.ts";

const PLAIN: Scenario = {
  family: "test",
  shop: null,
  identity: "I am Ada.",
  requests: [
    {
      kind: "action",
      ask: "Cancel it.",
      details: [
        { topic: "order", text: "It is #W1." },
        { topic: "reason", text: "By mistake." },
        { topic: "payment", text: "Use my card." },
      ],
      mentions: ["#W1"],
    },
    { kind: "question", ask: "What is left?", details: [], mentions: [] },
  ],
  reference: [],
  outputs: [],
};
const change = { kind: "action" as const, ask: "Keep it, but send it elsewhere.", details: [], mentions: ["#W1"] };
const CHANGING: Scenario = { ...PLAIN, requests: [{ ...PLAIN.requests[0]!, instead: change }] };
const FORBIDDEN: Scenario = {
  ...PLAIN,
  requests: [{ ...PLAIN.requests[0]!, kind: "forbidden", insist: "Please!" }],
};

/** The customer's side of a conversation. */
function talk(scenario: Scenario, messages: readonly string[]): string[] {
  let state: UserState = USER_START;
  return messages.map((message) => {
    const reply = replyTo(scenario, state, message);
    state = reply.state;
    return reply.text;
  });
}

describe("the scripted customer", () => {
  test("opens with the first wish", () => expect(opening(PLAIN)).toBe("Hello. Cancel it."));
  test("says who they are when asked, also again", () => {
    expect(talk(PLAIN, ["Your e-mail, please?", "Could you verify your name?"])).toEqual(["I am Ada.", "I am Ada."]);
  });
  test("tells at most two of the details asked for, and the next ones later", () => {
    expect(talk(PLAIN, ["Which order, what reason, which payment method?", "And the payment method?", "Why?"])).toEqual(
      ["It is #W1. By mistake.", "Use my card.", "By mistake."],
    );
  });
  test("says yes only to a question that names what is at stake", () => {
    expect(talk(PLAIN, ["Shall I cancel it?", "Shall I cancel #w1? This cannot be undone."])).toEqual([
      "Yes to what exactly? Please name it in full, so that I can check it.",
      "Yes, please go ahead.",
    ]);
  });
  test("believes that it is done and goes on to the next wish, then says goodbye", () => {
    expect(talk(PLAIN, ["Order #W1 has been cancelled. Anything else?", "There are 5 left."])).toEqual([
      "All right. One more thing: What is left?",
      "Thank you, that is all. Goodbye.",
    ]);
  });
  test("changes their mind once, when first asked for a yes", () => {
    expect(talk(CHANGING, ["Do you confirm #W1? (yes/no)", "Do you confirm #W1? (yes/no)"])).toEqual([
      "Wait, I have changed my mind. Keep it, but send it elsewhere.",
      "Yes, please go ahead.",
    ]);
    expect(talk(CHANGING, ["It is done."])[0]).toContain("changed my mind");
  });
  test("insists once on what is forbidden, then drops it", () => {
    expect(talk(FORBIDDEN, ["I cannot do that.", "I really can’t."])).toEqual([
      "Please!",
      "Thank you, that is all. Goodbye.",
    ]);
  });
  test("insists when a fair wish is declined, and gives it up after that", () => {
    expect(talk(PLAIN, ["I am unable to do that.", "I am unable to do that."])).toEqual([
      "I am sure that this is possible. Please look again.",
      "All right. One more thing: What is left?",
    ]);
  });
  test("answers silence and noise with the next detail, then with the wish", () => {
    expect(talk(PLAIN, ["Hm.", "Hm.", "Hm.", "Hm."])).toEqual([
      "It is #W1.",
      "By mistake.",
      "Use my card.",
      "Cancel it.",
    ]);
  });
  test("answers any text, the same way twice, and quickly", () => {
    const words = fc.constantFrom(
      "confirm?",
      "order?",
      "cannot",
      "anything else",
      "please",
      "done",
      "e-mail?",
      "字",
      "\u0000",
    );
    const text = fc.oneof(
      fc.string({ unit: anyLetter }),
      fc.array(words).map((list) => list.join(" ")),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (messages) => {
        const first = talk(PLAIN, messages);
        expect(first.every((reply) => reply.length > 0)).toBe(true);
        expect(talk(PLAIN, messages)).toEqual(first);
      }),
    );
    expect(talk(PLAIN, ["(".repeat(100_000), "has ".repeat(25_000)])).toHaveLength(2);
  });
});
