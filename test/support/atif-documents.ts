/** ATIF documents as other programs write them; together they use every field. Written for these tests. */
const agent = { name: "terminal-agent", version: "2.3.1" };

export const foreignDocuments: Readonly<Record<string, object>> = {
  "the least there can be": {
    schema_version: "ATIF-v1.0",
    agent: { name: "", version: "" },
    steps: [{ step_id: 1, source: "user", message: "" }],
  },
  "tool calls, observations, metrics and totals": {
    schema_version: "ATIF-v1.7",
    session_id: "session-1",
    trajectory_id: "run-1",
    agent: {
      ...agent,
      model_name: "small-model",
      tool_definitions: [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }],
      extra: { temperature: 0.7 },
    },
    steps: [
      { step_id: 1, timestamp: "2026-01-02T03:04:05+02:00", source: "system", message: "You use a terminal." },
      { step_id: 2, timestamp: "2026-01-02T03:04:06.123456Z", source: "user", message: "List the files.", extra: {} },
      {
        step_id: 3,
        timestamp: "2026-01-02T01:04:07Z",
        source: "agent",
        message: "",
        model_name: "small-model-v2",
        reasoning_effort: "high",
        reasoning_content: "ls will do.",
        tool_calls: [
          { tool_call_id: "c1", function_name: "bash", arguments: { command: "ls" }, extra: { id: 4 } },
          { tool_call_id: "c2", function_name: "bash", arguments: {} },
        ],
        observation: {
          results: [
            { source_call_id: "c1", content: "a.txt\nb.txt" },
            { source_call_id: "c2", content: null, extra: { exit_code: 2 } },
            { content: [{ type: "text", text: "screen:" }, image()] },
          ],
        },
        metrics: {
          prompt_tokens: 4,
          completion_tokens: 2,
          cached_tokens: 1,
          cost_usd: 0.0005,
          prompt_token_ids: [1, 2, 3, 4],
          completion_token_ids: [5, 6],
          logprobs: [-0.25, -1.5],
          extra: { reasoning_tokens: 1 },
        },
        llm_call_count: 1,
        extra: { limbo: true },
      },
      { step_id: 4, source: "user", message: [{ type: "text", text: "And this?" }, image()] },
      {
        step_id: 5,
        source: "agent",
        message: "Two files.",
        metrics: { prompt_token_ids: [1, 2, 3, 4, 5, 6, 7], completion_token_ids: [8] },
      },
    ],
    notes: "a note",
    final_metrics: {
      total_prompt_tokens: 11,
      total_completion_tokens: 3,
      total_cached_tokens: 1,
      total_cost_usd: 0.001,
      total_steps: 5,
      extra: { wall_seconds: 3.5 },
    },
    continued_trajectory_ref: "trajectory.cont-1.json",
    extra: { job: "nightly", tags: ["a", "b"] },
  },
  "sub-agents, nested, with and without names": {
    schema_version: "ATIF-v1.6",
    session_id: "s",
    agent,
    steps: [
      { step_id: 1, source: "user", message: "Plan and act." },
      {
        step_id: 2,
        source: "agent",
        message: "Delegating.",
        tool_calls: [{ tool_call_id: "d", function_name: "delegate", arguments: { to: "coder" } }],
        observation: {
          results: [{ source_call_id: "d", content: "done", subagent_trajectory_ref: [{ session_id: "sub-1" }] }],
        },
      },
    ],
    subagent_trajectories: [
      {
        schema_version: "ATIF-v1.6",
        session_id: "sub-1",
        agent: { name: "coder", version: "7" },
        steps: [{ step_id: 1, source: "agent", message: "ok", llm_call_count: 0 }],
        subagent_trajectories: [
          { schema_version: "ATIF-v1.6", agent, steps: [{ step_id: 1, source: "user", message: "deep" }], extra: {} },
        ],
      },
      { schema_version: "ATIF-v1.6", agent, steps: [{ step_id: 1, source: "user", message: "second" }] },
    ],
  },
  "copied context, blank agent steps and observations where few expect them": {
    schema_version: "ATIF-v1.7",
    trajectory_id: "run-1.cont-1",
    agent,
    steps: [
      { step_id: 1, source: "user", message: "Go on.", is_copied_context: true },
      {
        step_id: 2,
        source: "agent",
        message: "earlier",
        is_copied_context: true,
        metrics: { completion_token_ids: [1, 2], logprobs: [-1, -2] },
        observation: { results: [{ content: "seen before" }] },
      },
      { step_id: 3, source: "system", message: "tick", observation: { results: [{ content: "clock" }] } },
      { step_id: 4, source: "agent", message: "", observation: { results: [] } },
      { step_id: 5, source: "agent", message: "", is_copied_context: false, tool_calls: [] },
      { step_id: 6, source: "agent", message: "a", metrics: { completion_token_ids: [], prompt_token_ids: [] } },
      { step_id: 7, source: "agent", message: "b", metrics: { logprobs: [-1] }, timestamp: "yesterday" },
    ],
    subagent_trajectories: [],
  },
  "nulls where a writer left fields out": {
    schema_version: "ATIF-v1.5",
    session_id: null,
    trajectory_id: null,
    agent: { ...agent, model_name: null, tool_definitions: null, extra: null },
    steps: [
      {
        step_id: 1,
        timestamp: null,
        source: "agent",
        message: "x",
        model_name: null,
        reasoning_effort: null,
        reasoning_content: null,
        tool_calls: null,
        observation: null,
        metrics: { prompt_tokens: null, cost_usd: null, logprobs: null, extra: null },
        is_copied_context: null,
        llm_call_count: null,
        extra: null,
      },
    ],
    notes: null,
    final_metrics: null,
    continued_trajectory_ref: null,
    subagent_trajectories: null,
    extra: null,
  },
};

function image(): object {
  return { type: "image", source: { media_type: "image/png", path: "images/screen.png" } };
}
