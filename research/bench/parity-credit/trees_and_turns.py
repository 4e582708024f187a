"""Published estimators over turns of a conversation and over trees. See `estimators.py`."""

import copy
import json
import math
from contextlib import redirect_stdout
from io import StringIO
from types import SimpleNamespace

import numpy as np
import torch
from batches import Batch, Conversations, tree_parents


def matchtir(modules: dict, method: str, options: dict, batch: Batch):
    tool, core = modules["matchtir_tool"], modules["matchtir"]
    rewards = [0.0] * len(batch.rows)
    for own in batch.steps().values():
        calls = [(at, called(call)) for at in own for call in batch.rows[at]["signals"]["calls"]]
        gold = [
            {"name": call["name"], "parameters": call["arguments"]}
            for call in batch.rows[own[0]]["signals"]["goldCalls"]
        ]
        asked = [call for _, call in calls]
        earned = (
            tool.assign_rewards_ot(asked, gold, reg=options.get("regularisation", 0.1))
            if options.get("matching") == "transport"
            else tool.assign_rewards_hungarian(asked, gold, unmatched_penalty=options.get("unmatched", 0))
        )
        for at in own:
            part = [reward for reward, (row, _) in zip(earned, calls, strict=True) if row == at]
            answer = batch.rows[at]["signals"].get("answer")
            if answer is not None:
                said = f"<answer>{answer}</answer>"
                rewards[at] = tool.compute_answer_f1(said, {}, {}, 0.0, "train", answer=batch.rows[at]["gold"])
            elif part:
                rewards[at] = sum(part) / len(part)
    talk = Conversations(batch)
    found = core.compute_grpo_outcome_advantage(talk.rewards(rewards), talk.mask, talk.index)[0]
    return talk.to_rows(found)


def called(call: dict) -> dict:
    return {"name": call["name"], "arguments": json.dumps(call["arguments"])}


def siop(modules: dict, method: str, options: dict, batch: Batch):
    core, talk = modules["siop"], Conversations(batch)
    if method == "igpo":
        gains = [0.0] * len(batch.rows)
        for own in talk.steps:
            for at in own[:-1]:
                around = batch.rows[at]["signals"]["answerLogprob"]
                gains[at] = math.exp(around["after"]) - math.exp(around["before"])
            gains[own[-1]] = batch.outcome_of(batch.rows[own[-1]]["trajectory"])
        # Trailing tokens of a conversation are not trained, and the answer's reward stands on the last that is.
        config = SimpleNamespace(gamma=options["gamma"])
        return talk.to_rows(
            core.compute_igpo_turn_level_advantage(talk.rewards(gains), talk.mask, talk.index, config=config)[0]
        )
    with redirect_stdout(StringIO()):
        found = modules["siop_rewards"].compute_siop_process_rewards(*potentials(talk, batch))
    rewards = [0.0] * len(batch.rows)
    for own, earned in zip(talk.steps, found, strict=True):
        for at, reward in zip(own, earned, strict=True):
            rewards[at] = reward
    config = SimpleNamespace(gamma=1.0)
    return talk.to_rows(
        core.compute_siop_turn_level_advantage(talk.rewards(rewards), talk.mask, talk.index, config=config)[0]
    )


def potentials(talk: Conversations, batch: Batch):
    """What its scoring pass would hand on: shares of clusters, and log-likelihoods before and after each turn."""
    identities = [batch.rows[own[-1]]["signals"]["cluster"]["id"] for own in talk.steps]
    result = SimpleNamespace(bsz=len(talk.steps), siop_lambda=0.5, siop_epsilon=1e-8)
    result.single_turn_rewards, result.sample_turn_map, result.sample_cluster_freq = {}, [], {}
    scores = []
    for at, own in enumerate(talk.steps):
        group = [name for name, task in zip(identities, talk.index, strict=True) if task == talk.index[at]]
        share = group.count(identities[at]) / len(group)
        result.sample_cluster_freq[at] = share
        if len(own) == 1:
            result.single_turn_rewards[at] = [(1 - result.siop_lambda) * share]
            continue
        around = [batch.rows[row]["signals"]["cluster"] for row in own]
        for turn, likelihood in enumerate([around[0]["before"], *(one["after"] for one in around)]):
            result.sample_turn_map.append((at, turn - 1, 1.0))
            scores.append(math.log(likelihood))
    return result, scores


def infopo(modules: dict, method: str, options: dict, batch: Batch):
    """Turns as long as they are, one after the other: this estimator counts tokens."""
    steps = list(batch.steps().values())
    width = max(sum(len(batch.rows[at]["mask"]) for at in own) for own in steps)
    mask, starts, gains = (torch.zeros(len(steps), width) for _ in range(3))
    places: dict[int, tuple[int, int]] = {}
    for line, own in enumerate(steps):
        begin = 0
        for turn, at in enumerate(own):
            row = batch.rows[at]
            end = begin + len(row["mask"])
            places[at] = (line, begin)
            mask[line, begin:end] = torch.tensor(row["mask"], dtype=torch.float64)
            starts[line, begin] = 1
            if turn + 1 < len(own):
                gains[line, begin:end] = effect(batch.rows[own[turn + 1]]) / sum(row["mask"])
            begin = end
    scores = [[{"reward": batch.outcome_of(batch.rows[own[0]]["trajectory"]) / len(own)} for _ in own] for own in steps]
    found = modules["infopo"].compute_info_grpo_advantage(
        torch.zeros_like(mask),
        gains * mask,
        mask,
        np.array([batch.rows[own[0]]["task"] for own in steps], dtype=object),
        intrinsic_weight=options["beta"],
        turn_boundaries=starts,
        conversation_histories=scores,
    )[0]
    advantages = torch.zeros_like(batch.mask)
    for at, (line, begin) in places.items():
        length = len(batch.rows[at]["mask"])
        advantages[at, :length] = found[line, begin : begin + length]
    return advantages


def effect(row: dict) -> float:
    """What the observation before this row changed, as its scoring pass measures it."""
    scores = row["logprobs"]
    trained = [token for token, one in enumerate(row["mask"]) if one == 1]
    return sum(scores["old"][token] - scores["withoutObservation"][token] for token in trained) / len(trained)


def tablemind(modules: dict, method: str, options: dict, batch: Batch):
    # It runs in 32 bits only.
    torch.set_default_dtype(torch.float32)
    try:
        return modules["tablemind"].compute_rank_grpo_advantage(
            batch.rewards().float(),
            batch.mask.float(),
            batch.index,
            batch.tokens("logprobs", "old").float(),
            margin=options["margin"],
            alpha=options["factor"] - 1,
            reward_threshold=options["threshold"],
        )[0]
    finally:
        torch.set_default_dtype(torch.float64)


def memsearcher(modules: dict, method: str, options: dict, batch: Batch):
    talk = Conversations(batch)
    last = [0.0] * len(batch.rows)
    for own in talk.steps:
        last[own[-1]] = batch.outcome_of(batch.rows[own[-1]]["trajectory"])
    # One advantage a trajectory, which its trainer copies to the contexts.
    found = modules["memsearcher"].compute_grpo_outcome_advantage(talk.rewards(last), talk.mask, talk.index)[0]
    return talk.to_rows(found)


def treepo(modules: dict, method: str, options: dict, batch: Batch):
    index = np.array(["#".join([row["task"], *row["path"][1:]]) for row in batch.rows], dtype=object)
    strategy = "group_size" if options.get("weighting") == "size" else "average"
    return modules["treepo"].compute_tree_reinforce_plus_plus_baseline_outcome_advantage(
        batch.rewards(),
        batch.mask,
        index,
        remove_no_std_subgroup=options.get("skipEqual", False),
        adv_weight_strategy=strategy,
    )[0]


def children_of(batch: Batch):
    """Rows below each row, and below each task."""
    below: dict = {}
    for at, parent in enumerate(tree_parents(batch)):
        below.setdefault(parent if parent != -1 else batch.rows[at]["task"], []).append(at)
    return below


def spo(modules: dict, method: str, options: dict, batch: Batch):
    if method == "spo-chain":
        return chains(modules["spo_chain"], batch)
    utils, below = modules["spo_tree"].TreeEpisodeUtils(), children_of(batch)
    utils.is_answer_correct = lambda task, node, gold: node["answer"]

    def node(key):
        own = {"text": str(key), "full_text": str(key), "leaf": False}
        if key not in below:
            return {**own, "answer": batch.outcome_of(batch.rows[key]["trajectory"]), "leaf": True}
        return {**own, "children": [node(child) for child in below[key]]}

    def measure(one):
        # Rewards and deviations of the edges are made while it samples; here from its own scores.
        scores = [child["score"] for child in one.get("children", [])]
        one["reward"], one["reward_std"] = one["score"], float(np.std(scores)) if scores else 0.0
        for child in one.get("children", []):
            measure(child)

    values = [0.0] * len(batch.rows)
    for task in dict.fromkeys(batch.index):
        root = utils.compute_score(None, node(task), None)
        measure(root)
        root["_request_object"] = {"_treetune__idx": 0}
        for edge in utils.extract_edges_from_tree(copy.deepcopy(root), options["form"], False):
            weight = options.get("bestOfWeight", 0)
            values[int(edge["response_text"])] = edge["advantage"] + weight * edge["prover_advantage"]
    return batch.on_rows(values)


def chains(module, batch: Batch):
    compute = module.MathEpisodeGeneratorWithMCAdvantages._compute_token_advantages
    found = torch.zeros_like(batch.mask)
    for at, row in enumerate(batch.rows):
        length = len(row["mask"])
        cuts = row["signals"]["cuts"]
        trajectory = {
            "query_text": "",
            "response_text": "",
            "offsets": [],
            "query_token_ids": [],
            "response_token_ids": [0] * length,
            "score": batch.outcome_of(row["trajectory"]),
            "cutpoints": [cut["token"] for cut in cuts],
            "cutpoints_values": [cut["value"] for cut in cuts],
            "cutpoints_values_std": [0.0] * len(cuts),
            "response_prob": [math.exp(value) for value in row["logprobs"]["old"]],
        }
        found[at, :length] = torch.tensor(compute(None, trajectory)[1])
    return found * batch.mask


def branchgrpo(modules: dict, method: str, options: dict, batch: Batch):
    module, below = modules["branchgrpo"], children_of(batch)
    old = (batch.tokens("logprobs", "old") * batch.mask).sum(dim=-1)
    values = [0.0] * len(batch.rows)
    for task in dict.fromkeys(batch.index):
        leaves, rewards = [], []

        def grow(key, parent, leaves=leaves, rewards=rewards):
            one = module.TreeNode(str(key), None, parent)
            if parent is not None:
                parent.add_child(one)
                one.log_prob = old[key]
            for child in below.get(key, []):
                grow(child, one)
            if key not in below:
                leaves.append(one)
                rewards.append(batch.outcome_of(batch.rows[key]["trajectory"]))
            return one

        root = grow(task, None)
        softly = options.get("fusion") == "softmax"
        depths = module.compute_node_rewards_from_leaves(root, torch.tensor(rewards), leaves, softly)[1]
        for name, value in module.compute_hierarchical_advantages_by_depth(depths).items():
            if name != str(task):
                values[int(name)] = float(value)
    return batch.on_rows(values)


def marti(modules: dict, method: str, options: dict, batch: Batch):
    parents = tree_parents(batch)
    shaped = [0.0] * len(batch.rows)
    for task in dict.fromkeys(batch.index):
        # Parents before children, and siblings by name: the order decides what a node sees.
        own = [at for at in range(len(batch.rows)) if batch.index[at] == task]
        own.sort(key=lambda at: (depth(parents, at), batch.rows[at]["trajectory"]))
        nodes = [{"turn_id": at, "metadata": {"parent_idx": parents[at]}} for at in own]
        rewards = np.array([[batch.rows[at]["reward"] for at in own]], dtype=float)
        found = modules["marti"].tree_reward_shaping_unified([nodes], rewards, options["alpha"], options["mix"])
        for at, value in zip(own, found[0], strict=True):
            shaped[at] = value
    # What follows the shaping is the group's z, as in GRPO.
    placed = torch.zeros_like(batch.mask)
    placed[:, 0] = torch.tensor(shaped)
    return modules["verl"].compute_grpo_outcome_advantage(placed, batch.mask, batch.index)[0]


def depth(parents: list[int], at: int) -> int:
    return 0 if parents[at] == -1 else 1 + depth(parents, parents[at])


def rose(modules: dict, method: str, options: dict, batch: Batch):
    tasks = list(dict.fromkeys(batch.index))
    place = {}
    for row in batch.rows:
        place[row["trajectory"]] = sum(1 for name in place if batch_task(batch, name) == row["task"])
    meta = []
    for row in batch.rows:
        parent = row.get("parent")
        meta.append(
            {
                "prompt_index": tasks.index(row["task"]),
                "parent_traj": place[parent["trajectory"]] if parent else -1,
                "branch_pos": parent["token"] if parent else -1,
            }
        )
    config = {"length_penalty": options.get("lengthPenalty") or 0.0}
    with redirect_stdout(StringIO()):
        return modules["rose"].compute_grpo_iterative_branching_outcome_advantage(
            batch.rewards(),
            batch.mask,
            tree_metadata={"per_sample": meta, "n_per_prompt": len(batch.rows) // len(tasks)},
            config=config,
        )[0]


def batch_task(batch: Batch, trajectory: str) -> str:
    return next(row["task"] for row in batch.rows if row["trajectory"] == trajectory)


CHECKOUTS = {
    "matchtir": matchtir,
    "siop": siop,
    "infopo": infopo,
    "memsearcher": memsearcher,
    "tablemind": tablemind,
    "treepo": treepo,
    "spo": spo,
    "branchgrpo": branchgrpo,
    "marti": marti,
    "rose": rose,
}
