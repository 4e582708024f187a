"""A verifiers environment: sums, with a second chance. It needs no package, so that it runs at once.

With verifiers installed, load_environment() returns an object of it instead: vf.SingleTurnEnv, or a vf.MultiTurnEnv of yours.
What is used is its dataset, setup_state, is_completed, env_response and rubric.
"""


def rows(first, count):
    return [
        {
            "prompt": [{"role": "user", "content": f"What is {n % 5} + {n // 5 % 5}? Answer with the number."}],
            "answer": str(n % 5 + n // 5 % 5),
        }
        for n in range(first, first + count)
    ]


class Score:
    def __init__(self, reward):
        self.reward = reward


class Rubric:
    """1 for a right answer at once, a half for the second chance."""

    async def score_rollout(self, prompt, completion, answer, state, task="default", info=None):
        if completion[-1]["content"].strip() != answer:
            return Score(0.0)
        return Score(1.0 if state["turn"] == 1 else 0.5)


class Sums:
    rubric = Rubric()

    def get_dataset(self):
        return rows(0, 25)

    def get_eval_dataset(self):
        return rows(25, 25)

    async def setup_state(self, state):
        return state

    async def is_completed(self, messages, state):
        right = messages[-1]["content"].strip() == state["answer"]
        return right or state["turn"] >= 2

    async def env_response(self, messages, state):
        return [{"role": "user", "content": "No. Try once more."}], state


def load_environment():
    return Sums()
