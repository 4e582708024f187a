/** What each signal of a row means; apart from the schema, so that the methods load without it. */
export const SIGNALS = {
  answerLogprob: "The mean log-probability of the reference answer before the turn and after its observation.",
  cluster: "The cluster of the trajectory's final answer (null: none), and its members' likelihood around the turn.",
  calls: "The tool calls of the row; arguments are null where they could not be parsed.",
  goldCalls: "The reference tool calls of the task; the same on all rows of a trajectory.",
  answer: "What the row says as its final answer.",
  toolSucceeded: "Whether the row's tool call succeeded.",
  cuts: "Mean scores of continuations from prefixes of the response, by last token, ascending; -1: the prompt.",
  stateValue:
    "The mean return of continuations from the state before the step, and after it (default: the next row's).",
  actionValue: "The mean return of continuations after the row's action.",
  legalValues: "The same after each legal action of the state.",
  snapshot: "The frozen memory the row was sampled from, among alternatives, and its local reward.",
  split: "The last token of the response's first segment (null: it has none), and the rewards of both segments.",
  guidedSteps: "How many correct steps the prompt gave away.",
  promptTokens: "The length of the prompt.",
  skippedTokens: "How many tokens of the response stand before the row's own, in a branch that left inside it.",
  answerInDocuments: "Whether a document that the row had to rank holds the reference answer.",
  role: "Which of several parts the policy played: planner, executor.",
  segment: "The part of the episode that the row belongs to, and that part's score; the same on all its rows.",
} as const;
