"""What a verifiers environment is to whoever plays in it: a dataset, answers turn by turn, a rubric. Needs no package."""


class Score:
    def __init__(self, reward):
        self.reward = reward


class Rubric:
    async def score_rollout(self, prompt, completion, answer, state, task="default", info=None):
        said = completion[-1]["content"]
        return Score(1.0 if said == answer and state["turn"] == 2 else 0.25)


class TwoTurns:
    rubric = Rubric()
    rows = [
        {"prompt": [{"role": "user", "content": f"What is {n} plus 1?"}], "answer": str(n + 1), "info": {}}
        for n in range(3)
    ]

    def get_dataset(self):
        return self.rows

    def get_eval_dataset(self):
        return self.rows[:1]

    async def setup_state(self, state):
        return {**state, "asked": True}

    async def is_completed(self, messages, state):
        return state["turn"] >= 2

    async def env_response(self, messages, state):
        return [{"role": "user", "content": f"You said {messages[-1]['content']}. Are you sure?"}], state


def load_environment():
    return TwoTurns()
