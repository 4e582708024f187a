"""Published estimators, called as their trainers call them. One function a checkout: case and batch in, advantages out."""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import torch
from batches import Batch

PENALTY = 0.1


def flags(batch: Batch, options: dict):
    """Which teacher a row listens to; the published trainer routes before it calls the estimator."""
    step = np.array([bool(row["useStepSkill"]) for row in batch.rows])
    episode = np.array([bool(row["useEpisodeSkill"]) for row in batch.rows])
    if options.get("teacherMode", "step_priority") == "step_priority":
        episode = episode & ~step
    return torch.tensor(episode, dtype=torch.float64), torch.tensor(step, dtype=torch.float64)


def opid(modules: dict, method: str, options: dict, batch: Batch):
    verl, gigpo = modules["opid"], modules["opid_gigpo"]
    common = dict(response_mask=batch.mask, index=batch.index, traj_index=batch.traj)
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
    step = dict(step_rewards=batch.step_returns(gigpo, PENALTY), anchor_obs=batch.obs, **common)
    if method == "gigpo":
        return gigpo.compute_gigpo_outcome_advantage(
            batch.rewards(PENALTY),
            mode=options["mode"],
            enable_similarity=options.get("stateMatch") == "similar",
            **step,
        )[0]
    if method == "hgpo":
        return modules["hgpo"].compute_hgpo_outcome_advantage(
            batch.rewards(PENALTY),
            history_length=2,
            mode=options["mode"],
            base_group=options.get("baseGroup", False),
            **step,
        )[0]
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


def ragen(modules: dict, method: str, options: dict, batch: Batch):
    # The published code casts rewards to the 32-bit float; with 64-bit values the sums come out in 64 bits.
    found = modules["ragen"].compute_bi_level_gae_advantage_return(
        batch.rewards(), batch.values, batch.mask, options["gamma"], options["lambda"], options["gammaTurn"]
    )[0]
    return found * batch.mask


def verl(modules: dict, method: str, options: dict, batch: Batch):
    core = modules["verl"]
    plain = dict(response_mask=batch.mask, index=batch.index)
    rewards = batch.rewards()
    if method in ("grpo", "dr-grpo"):
        return core.compute_grpo_vectorized_outcome_advantage(
            rewards, norm_adv_by_std_in_grpo=method == "grpo", **plain
        )[0]
    if method == "rloo":
        return core.compute_rloo_vectorized_outcome_advantage(rewards, **plain)[0]
    if method == "reinforce-plus-plus":
        config = SimpleNamespace(gamma=options["gamma"])
        return core.compute_reinforce_plus_plus_outcome_advantage(rewards, batch.mask, config=config)[0]
    if method == "gae":
        gamma, trace = options["gamma"], options["lambda"]
        return core.compute_gae_advantage_return(rewards, batch.values, batch.mask, gamma, trace)[0] * batch.mask
    if method == "gpg":
        return core.compute_gpg_outcome_advantage(rewards, **plain)[0]
    if method == "opo":
        return core.compute_opo_outcome_advantage(rewards, **plain)[0]
    if method == "flow-grpo":
        return core.compute_grpo_outcome_advantage(rewards, **plain)[0]
    if method == "pass-at-k":
        config = {"norm_adv_by_std_in_grpo": options["normByStd"]}
        return core.compute_grpo_passk_outcome_advantage(rewards, config=config, **plain)[0]
    if method == "pf-ppo":
        return filtered(core, options, batch)
    return core.compute_multi_turn_optimal_token_baseline_advantage(
        rewards,
        old_log_probs=batch.tokens("logprobs", "old"),
        sum_pi_squared=torch.exp(batch.tokens("logprobs", "collision")),
        handle_zero_tail=options["cutLongest"],
        **plain,
    )[0]


def filtered(core, options: dict, batch: Batch):
    """The published function draws rows; its weights are read where it draws, and rows counted by their expectation."""
    seen = []

    def draw(weights, count, replacement):
        seen.append(weights.clone())
        return torch.zeros(count, dtype=torch.long)

    data = SimpleNamespace(batch=Tensors(token_level_scores=batch.rewards()), non_tensor_batch={}, meta_info={})
    data.batch.batch_size = len(batch.rows)
    with patch.object(torch, "multinomial", draw):
        core.compute_pf_ppo_reweight_data(data, options["scheme"], options.get("power", 2.0))
    weights = seen[0] / seen[0].sum()
    centred = core.compute_grpo_outcome_advantage(
        batch.rewards(), response_mask=batch.mask, index=batch.index, norm_adv_by_std_in_grpo=False
    )[0]
    return centred * weights.unsqueeze(-1) * len(batch.rows)


class Tensors(dict):
    batch_size = 0


def spear(modules: dict, method: str, options: dict, batch: Batch):
    spread = options.get("spread")
    found = modules["spear"].compute_grpo_outcome_advantage(
        batch.rewards(),
        response_mask=batch.mask,
        index=batch.index,
        norm_adv_by_std_in_grpo=spread is not None,
        custom_reward_mean_std={"mean": options["baseline"], "std": spread or 1.0},
    )[0]
    # Its trainer leaves out replayed rows whose advantage is below 0.
    return found * (found >= 0)


def dars(modules: dict, method: str, options: dict, batch: Batch):
    found = modules["dars"].compute_grpo_outcome_advantage(
        batch.rewards(), batch.mask, batch.index, use_std=options["normByStd"]
    )[0]
    right = {}
    for row in batch.rows:
        right.setdefault(row["task"], set()).add(batch.trajectories[row["trajectory"]]["success"])
    # Its trainer leaves out tasks that are all right or all wrong.
    return found * batch.on_rows(len(right[row["task"]]) == 2 for row in batch.rows)


def trinity(modules: dict, method: str, options: dict, batch: Batch):
    baseline = "logavgexp" if options.get("baseline") == "soft" else "mean"
    made = modules["trinity_opmd"].OPMDGroupAdvantage(opmd_baseline=baseline, tau=options.get("tau", 1.0))
    return grouped(made, [[at] for at in range(len(batch.rows))], batch)


def r3l(modules: dict, method: str, options: dict, batch: Batch):
    if options.get("baseline") == "z":
        made = modules["r3l_grpo"].GRPOReweightAdvGroupAdvantage()
    else:
        baseline = "logavgexp" if options.get("baseline") == "soft" else "mean"
        made = modules["r3l_opmd"].OPMDReweightAdvGroupAdvantage(opmd_baseline=baseline, tau=options.get("tau", 1.0))
    return grouped(made, list(batch.steps().values()), batch)


def grouped(made, members: list[list[int]], batch: Batch):
    """One experience for each list of rows; experiences of a task are one group."""
    tasks: dict[str, list] = {}
    for own in members:
        reward = batch.outcome_of(batch.rows[own[0]]["trajectory"])
        one = SimpleNamespace(reward=reward, action_mask=torch.ones(1), rows=own)
        tasks.setdefault(batch.rows[own[0]]["task"], []).append(one)
    values = [0.0] * len(batch.rows)
    for task, group in tasks.items():
        for one in made.calculate_group_advantage(task, group)[0]:
            for row in one.rows:
                values[row] = float(one.advantages[0])
    return batch.on_rows(values)


CHECKOUTS = {
    "opid": opid,
    "hgpo": opid,
    "ragen": ragen,
    "verl": verl,
    "spear": spear,
    "dars": dars,
    "trinity": trinity,
    "r3l": r3l,
}
