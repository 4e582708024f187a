"""Second step of the parity check: runs published estimators on the batches. Needs torch and numpy, nothing else.

    python3 bench/parity-credit/published.py FOLDER --opid CHECKOUT --ragen CHECKOUT --hgpo CHECKOUT --verl CHECKOUT

CHECKOUT is a working tree of the public repository; only single files of it are loaded, and what they import but do
not need here is replaced by an empty stand-in. A checkout that is not given leaves its cases out.
"""

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import torch

torch.set_default_dtype(torch.float64)

STANDINS = ("tensordict", "transformers", "omegaconf", "flash_attn", "verl", "ray", "codetiming")
PENALTY = 0.1


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Any module of these packages that was not loaded from a checkout is an empty one."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in STANDINS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__ = []
        module.__name__ = spec.name
        module.__spec__ = spec
        return module

    def exec_module(self, module):
        pass


def load(name: str, file: Path):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    if "." in name:
        parent, _, child = name.rpartition(".")
        setattr(importlib.import_module(parent), child, module)
    return module


class Batch:
    """Padded arrays, as the published code takes them."""

    def __init__(self, data: dict):
        rows = data["rows"]
        self.rows = rows
        width = max(len(row["mask"]) for row in rows)
        self.mask = torch.tensor([row["mask"] + [0] * (width - len(row["mask"])) for row in rows], dtype=torch.float64)
        self.index = np.array([row["task"] for row in rows], dtype=object)
        self.traj = np.array([row["trajectory"] for row in rows], dtype=object)
        self.obs = np.array([row["state"] for row in rows], dtype=object)
        self.valid = torch.tensor([1.0 if row["valid"] else 0.0 for row in rows])
        self.outcome = torch.tensor([data["trajectories"][row["trajectory"]]["outcome"] for row in rows])
        self.greedy = torch.tensor([row["greedyScore"] for row in rows])
        self.values = self.tokens("values")
        self.width = width

    def tokens(self, *path: str):
        found = []
        for row in self.rows:
            value = row
            for key in path:
                value = value.get(key) if value is not None else None
            found.append((value or []) + [0.0] * (self.mask.shape[1] - len(value or [])))
        return torch.tensor(found, dtype=torch.float64) * self.mask

    def rewards(self, penalty: float = 0.0):
        """The score on the last trained token, or the row's own token rewards."""
        if self.rows[0].get("tokenRewards") is not None:
            return self.tokens("tokenRewards")
        rewards = torch.zeros_like(self.mask)
        last = (self.mask * torch.arange(1, self.width + 1)).argmax(dim=1)
        rewards[torch.arange(len(self.rows)), last] = self.outcome - penalty * (1 - self.valid)
        return rewards

    def step_returns(self, module, gamma: float = 0.95):
        """By the published function, then the penalty as its trainer applies it."""
        data = MagicMock()
        data.non_tensor_batch = {
            "rewards": np.array([row["reward"] for row in self.rows]),
            "traj_uid": self.traj,
            "active_masks": np.ones(len(self.rows)),
        }
        data.batch = {"input_ids": self.mask}
        return module.compute_step_discounted_returns(data, gamma).double() - PENALTY * (1 - self.valid)


def flags(batch: Batch, options: dict):
    """Which teacher a row listens to; the published trainer routes before it calls the estimator."""
    step = np.array([bool(row["useStepSkill"]) for row in batch.rows])
    episode = np.array([bool(row["useEpisodeSkill"]) for row in batch.rows])
    if options.get("teacherMode", "step_priority") == "step_priority":
        episode = episode & ~step
    return torch.tensor(episode, dtype=torch.float64), torch.tensor(step, dtype=torch.float64)


def run_case(modules: dict, case: dict, batch: Batch):
    method, options = case["method"], case["options"]
    common = dict(response_mask=batch.mask, index=batch.index, traj_index=batch.traj)
    verl, gigpo, hgpo, ragen = (modules.get(name) for name in ("verl", "gigpo", "hgpo", "ragen"))
    across = not options.get("countTrajectoryOnce", False)
    if method in ("grpo", "dr-grpo"):
        return verl.compute_grpo_outcome_advantage(
            batch.rewards(), norm_adv_by_std_in_grpo=method == "grpo", compute_mean_std_cross_steps=across, **common
        )[0]
    if method == "rloo":
        return verl.compute_rloo_outcome_advantage(batch.rewards(), **common)[0]
    if method == "reinforce-plus-plus":
        return verl.compute_reinforce_plus_plus_outcome_advantage(batch.rewards(), batch.mask, options["gamma"])[0]
    if method == "reinforce-plus-plus-baseline":
        return verl.compute_reinforce_plus_plus_baseline_outcome_advantage(batch.rewards(), **common)[0]
    if method == "remax":
        return verl.compute_remax_outcome_advantage(batch.rewards(), batch.greedy, batch.mask)[0] * batch.mask
    if method == "gae":
        found = verl.compute_gae_advantage_return(
            batch.rewards(), batch.values, batch.mask, options["gamma"], options["lambda"]
        )[0]
        return found * batch.mask
    if method == "bi-level-gae":
        # The published code casts rewards to the 32-bit float; with 64-bit values the sums come out in 64 bits.
        found = ragen.compute_bi_level_gae_advantage_return(
            batch.rewards(), batch.values, batch.mask, options["gamma"], options["lambda"], options["gammaTurn"]
        )[0]
        return found * batch.mask
    core = modules.get("core")
    plain = dict(response_mask=batch.mask, index=batch.index)
    if method == "gpg":
        return core.compute_gpg_outcome_advantage(batch.rewards(), **plain)[0]
    if method == "opo":
        return core.compute_opo_outcome_advantage(batch.rewards(), **plain)[0]
    if method == "flow-grpo":
        return core.compute_grpo_outcome_advantage(batch.rewards(), **plain)[0]
    if method == "pass-at-k":
        config = {"norm_adv_by_std_in_grpo": options["normByStd"]}
        return core.compute_grpo_passk_outcome_advantage(batch.rewards(), config=config, **plain)[0]
    if method == "optimal-token-baseline":
        return core.compute_multi_turn_optimal_token_baseline_advantage(
            batch.rewards(),
            old_log_probs=batch.tokens("logprobs", "old"),
            sum_pi_squared=torch.exp(batch.tokens("logprobs", "collision")),
            handle_zero_tail=options["cutLongest"],
            **plain,
        )[0]
    step = dict(step_rewards=batch.step_returns(gigpo), anchor_obs=batch.obs, **common)
    if method == "gigpo":
        return gigpo.compute_gigpo_outcome_advantage(
            batch.rewards(PENALTY),
            mode=options["mode"],
            enable_similarity=options.get("stateMatch") == "similar",
            **step,
        )[0]
    if method == "hgpo":
        return hgpo.compute_hgpo_outcome_advantage(
            batch.rewards(PENALTY),
            history_length=2,
            mode=options["mode"],
            base_group=options.get("baseGroup", False),
            **step,
        )[0]
    if method == "opid":
        episode, critical = flags(batch, options)
        return gigpo.compute_opid_outcome_advantage(
            batch.rewards(PENALTY),
            old_log_prob=batch.tokens("logprobs", "old"),
            episode_teacher_log_prob=batch.tokens("logprobs", "episodeTeacher"),
            step_teacher_log_prob=batch.tokens("logprobs", "stepTeacher"),
            critical_step_mask=episode,
            step_skill_mask=critical,
            step_advantage_w=options.get("stepAdvantageWeight", 0.0),
            episode_skill_teacher_advantage_w=options.get("episodeWeight", 0.001),
            step_skill_teacher_advantage_w=options.get("stepWeight", 0.001),
            mode=options["mode"],
            normalize_teacher_adv=options.get("normalize", False),
            clip_teacher_adv=options.get("clip"),
            **step,
        )[0]
    raise ValueError(f"no published function for {method}")


def source(name: str, folder: Path) -> dict:
    """The commit of a checkout; without git history, a file COMMIT holds it and the repository's name."""
    noted = folder / "COMMIT"
    if noted.exists():
        commit, _, repository = noted.read_text().strip().partition(" ")
        return {"name": f"{name} in {repository}" if repository else name, "commit": commit}
    asked = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return {"name": name, "commit": subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name in ("opid", "ragen", "hgpo", "verl"):
        parser.add_argument(f"--{name}", type=Path)
    options = parser.parse_args()
    sys.meta_path.append(StandIns())
    modules, sources = {}, []
    if options.opid is not None:
        load("verl.utils.torch_functional", options.opid / "verl/utils/torch_functional.py")
        modules["verl"] = load("published_core_algos", options.opid / "verl/trainer/ppo/core_algos.py")
        modules["gigpo"] = load("published_gigpo", options.opid / "gigpo/core_gigpo.py")
        sources.append(source("GRPO to OPID", options.opid))
    if options.ragen is not None:
        modules["ragen"] = load("published_ragen", options.ragen / "ragen/trainer/core_algos.py")
        sources.append(source("bi-level GAE", options.ragen))
    if options.hgpo is not None:
        modules["hgpo"] = load("published_hgpo", options.hgpo / "recipe/hgpo/core_hgpo.py")
        sources.append(source("HGPO", options.hgpo))
    if options.verl is not None:
        modules["core"] = load("published_core", options.verl / "verl/trainer/ppo/core_algos.py")
        sources.append(source("GPG, OPO, Pass@k, optimal token baseline", options.verl))
    data = json.loads((options.folder / "batches.json").read_text())
    needed = {"bi-level-gae": "ragen", "hgpo": "hgpo", "gigpo": "gigpo", "opid": "gigpo"}
    needed |= dict.fromkeys(("gpg", "opo", "pass-at-k", "optimal-token-baseline", "flow-grpo"), "core")
    results = {}
    for case in data["cases"]:
        if needed.get(case["method"], "verl") not in modules:
            continue
        found = []
        for entry in data["batches"][case["batches"]]:
            batch = Batch(entry)
            if batch.mask.sum() < 2:
                found.append(None)
                continue
            advantages = run_case(modules, case, batch)
            found.append([advantages[at, : len(row["mask"])].tolist() for at, row in enumerate(batch.rows)])
        results[case["name"]] = found
    (options.folder / "published.json").write_text(json.dumps({"sources": sources, "results": results}))
    print(f"{len(results)} cases by {len(sources)} checkouts, torch {torch.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
