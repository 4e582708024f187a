"""Worlds written in Python, for limbeck: JSON lines in, JSON lines out.

Started by limbeck as `python3 limbeck_bridge.py`, with nothing to install. Two kinds of world are known:

- Gymnasium: an object with reset(seed=...) and step(action). One is made for every episode.
- verifiers: what load_environment() returns, with a dataset, env_response, is_completed and a rubric.

What a world prints goes to standard error: standard output belongs to the protocol.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback

FACTORIES = ("make", "make_env", "load_environment", "Env", "World")


def load(module, entry):
    """The factory of a module: a name that can be imported, or the path of a file."""
    if module.endswith(".py") or os.sep in module or "/" in module:
        path = os.path.abspath(module)
        # What stands beside the file can be imported from it.
        sys.path.insert(0, os.path.dirname(path))
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        found = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    else:
        sys.path.insert(0, os.getcwd())
        found = importlib.import_module(module)
    names = [entry] if entry else FACTORIES
    for name in names:
        if callable(getattr(found, name, None)):
            return getattr(found, name)
    known = sorted(name for name, value in vars(found).items() if callable(value) and not name.startswith("_"))
    raise LookupError(
        f"{module} has no {' or '.join(names)} that can be called; it has: {', '.join(known) or 'nothing'}. "
        "Name one with entry=NAME."
    )


def as_text(value):
    if isinstance(value, str):
        return value
    # numpy's numbers and arrays
    if hasattr(value, "tolist"):
        value = value.tolist()
    return json.dumps(value, ensure_ascii=False, default=str)


def first(info, names):
    for name in names:
        if info.get(name) is not None:
            return info[name]
    return None


class GymEpisode:
    """An object with reset and step."""

    def __init__(self, factory, arguments):
        self.world = factory(**arguments)
        for name in ("reset", "step"):
            if not callable(getattr(self.world, name, None)):
                raise TypeError(f"what {factory.__name__} makes has no {name}()")
        space = getattr(self.world, "action_space", None)
        self.count = getattr(space, "n", None)

    def reset(self, seed, split):
        answer = self.world.reset(seed=seed)
        pair = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict)
        observation, info = answer if pair else (answer, {})
        return self.seen(observation, info)

    def step(self, action):
        if self.count is not None:
            if not action.strip().isdigit() or int(action) >= int(self.count):
                return {"valid": False}
            action = int(action)
        answer = self.world.step(action)
        if not isinstance(answer, tuple) or len(answer) not in (4, 5):
            raise TypeError("step() gives (observation, reward, terminated, truncated, info)")
        if len(answer) == 4:
            observation, reward, terminated, info = answer
            truncated = False
        else:
            observation, reward, terminated, truncated, info = answer
        result = self.seen(observation, info or {})
        success = first(info or {}, ("success", "is_success", "won"))
        result.update(
            reward=float(reward),
            terminated=bool(terminated),
            truncated=bool(truncated),
            valid=bool((info or {}).get("valid", True)),
            success=None if success is None else bool(success),
        )
        return result

    def seen(self, observation, info):
        listed = first(info, ("admissible", "admissible_commands", "valid_actions"))
        if listed is None and self.count is not None:
            listed = range(int(self.count))
        return {
            "observation": as_text(observation),
            "admissible": None if listed is None else [str(action) for action in listed],
        }

    def close(self):
        if callable(getattr(self.world, "close", None)):
            self.world.close()


class VerifiersEpisode:
    """A row of the dataset of a verifiers environment. The reward comes with the last step, from its rubric."""

    def __init__(self, world):
        self.world = world

    def reset(self, seed, split):
        rows = datasets(self.world)[split]
        row = rows[seed % len(rows)]
        self.prompt = row["prompt"]
        self.chat = not isinstance(self.prompt, str)
        self.answer = row.get("answer", "")
        self.task = row.get("task", "default")
        self.info = row.get("info") or {}
        if isinstance(self.info, str):
            self.info = json.loads(self.info)
        self.completion = [] if self.chat else ""
        self.state = {
            "id": seed,
            "prompt": self.prompt,
            "completion": [],
            "answer": self.answer,
            "task": self.task,
            "info": self.info,
            "responses": [],
            "turn": 0,
            "timing": {"generation_ms": 0.0, "scoring_ms": 0.0, "total_ms": 0.0},
        }
        if hasattr(self.world, "setup_state"):
            self.state = wait(self.world.setup_state(self.state))
        return {"observation": shown(self.prompt), "admissible": None}

    def messages(self):
        return list(self.prompt) + self.completion if self.chat else self.prompt + self.completion

    def step(self, action):
        self.state["responses"].append(action)
        self.completion = self.completion + ([{"role": "assistant", "content": action}] if self.chat else action)
        self.state["turn"] += 1
        self.state["completion"] = self.completion
        observation = ""
        over = wait(self.world.is_completed(self.messages(), self.state))
        if not over:
            answer, self.state = wait(self.world.env_response(self.messages(), self.state))
            self.completion = self.completion + answer
            self.state["completion"] = self.completion
            observation = shown(answer)
            over = wait(self.world.is_completed(self.messages(), self.state))
        result = {"observation": observation, "admissible": None, "reward": 0.0, "valid": True}
        if over:
            scoring = self.world.rubric.score_rollout(
                self.prompt, self.completion, self.answer, self.state, task=self.task, info=self.info
            )
            result["reward"] = float(wait(scoring).reward)
        result.update(terminated=bool(over), truncated=False, success=None)
        return result

    def close(self):
        pass


def shown(messages):
    """The texts of messages as an agent reads them."""
    if isinstance(messages, str):
        return messages
    return "\n\n".join(as_text(message.get("content") or "") for message in messages)


def wait(value):
    return LOOP.run_until_complete(value) if inspect.isawaitable(value) else value


def datasets(world):
    """Rows by split."""
    train = world.get_dataset()
    valid = world.get_eval_dataset() if hasattr(world, "get_eval_dataset") else None
    return {"train": train, "valid": valid if valid is not None else train}


class Bridge:
    def __init__(self):
        self.episodes = {}

    def make(self, module, entry, arguments):
        self.factory = load(module, entry)
        self.arguments = arguments
        self.world = None
        if self.factory.__name__ == "load_environment":
            self.world = wait(self.factory(**arguments))
            if not hasattr(self.world, "env_response"):
                raise TypeError("what load_environment() gives is no environment that answers turn by turn")
            return {"kind": "verifiers", "splits": {name: len(rows) for name, rows in datasets(self.world).items()}}
        return {"kind": "gymnasium", "splits": None}

    def open(self, episode, seed, split):
        made = GymEpisode(self.factory, self.arguments) if self.world is None else VerifiersEpisode(self.world)
        answer = made.reset(seed, split)
        self.episodes[episode] = made
        return answer

    def step(self, episode, action):
        return self.episodes[episode].step(action)

    def close(self, episode):
        found = self.episodes.pop(episode, None)
        if found is not None:
            found.close()
        return {}


def told(error):
    """Kind, message and the last line of the world's own code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    return {"kind": type(error).__name__, "message": str(error), "where": where}


def main():
    # A world may print: that must not meet the protocol.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    source = os.fdopen(os.dup(0), "r", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    bridge = Bridge()
    for line in source:
        request = json.loads(line)
        number = request.pop("id")
        try:
            answer = {"id": number, "result": getattr(bridge, request.pop("do"))(**request)}
            text = json.dumps(answer, allow_nan=False)
        except (Exception, SystemExit) as error:
            text = json.dumps({"id": number, "error": told(error)})
        out.write(text + "\n")
        out.flush()


LOOP = asyncio.new_event_loop()
if __name__ == "__main__":
    main()
