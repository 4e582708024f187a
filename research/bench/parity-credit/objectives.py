"""Published losses: the value, and by automatic differentiation the gradient with respect to each token's statistic."""

from types import SimpleNamespace

import torch


class Rows:
    """Padded arrays of an objective's batch. `live` is what the gradient is taken of."""

    def __init__(self, data: dict):
        self.lengths = [len(row["mask"]) for row in data["rows"]]
        width = max(self.lengths)
        for name in data["rows"][0]:
            padded = [row[name] + [0.0] * (width - len(row[name])) for row in data["rows"]]
            setattr(self, name, torch.tensor(padded, dtype=torch.float64))
        self.live.requires_grad_(True)


def configured(core, options: dict):
    """The actor's configuration, in the class that the published code asks for."""
    config = core.ActorConfig()
    config.clip_ratio = 0.2
    config.clip_ratio_low, config.clip_ratio_high = options.get("clipLow", 0.2), options.get("clipHigh", 0.2)
    config.tau_pos, config.tau_neg = options.get("tauPositive", 1.0), options.get("tauNegative", 1.05)
    config.policy_loss = SimpleNamespace(
        clip_cov_ratio=options.get("share"),
        clip_cov_lb=options.get("covarianceLow"),
        clip_cov_ub=options.get("covarianceHigh"),
        kl_cov_ratio=options.get("share"),
        ppo_kl_coef=options.get("coefficient"),
    )
    normaliser = options.get("normaliser")
    config.global_batch_info = {} if normaliser is None else {"loss_scale_factor": normaliser}
    config.named = {
        "clip_ratio_c": options.get("dualClip") or 3.0,
        "la_clip_low": options.get("clipLow"),
        "la_clip_high": options.get("clipHigh"),
        "la_clip_c": options.get("clipHigh"),
        "clip_ratio_la_power": options.get("power"),
    }
    config.get = lambda name, default=None: default if config.named.get(name) is None else config.named[name]
    return config


LOSSES = {
    "clipped": "compute_policy_loss_vanilla",
    "gspo": "compute_policy_loss_gspo",
    "sapo": "compute_policy_loss_sapo",
    "policy-gradient": "compute_policy_loss_gpg",
    "clip-cov": "compute_policy_loss_clip_cov",
    "kl-cov": "compute_policy_loss_kl_cov",
    "gmpo": "compute_policy_loss_geo_mean",
    "cispo": "compute_policy_loss_cispo",
}


def verl(modules: dict, objective: str, options: dict, rows: Rows):
    core = modules["verl"]
    mode = options.get("aggregation", "token-mean")
    if objective == "kl":
        matrix = core.kl_penalty(rows.live, rows.referenceLogprobs, options["estimator"])
        return core.agg_loss(matrix, rows.mask, mode)
    if objective == "value":
        return core.compute_value_loss(rows.live, rows.returns, rows.oldValues, rows.mask, options["clip"], mode)[0]
    correction = options.get("rolloutCorrection")
    weights = None
    if correction is not None:
        weights = modules["verl_rollout"].compute_rollout_correction_weights(
            rows.oldLogprobs - rows.rolloutLogprobs, rows.mask, correction["level"], correction["truncate"]
        )[0]
    return getattr(core, LOSSES[objective])(
        rows.oldLogprobs,
        rows.live,
        rows.rowAdvantages if objective == "gmpo" else rows.advantages,
        rows.mask,
        loss_agg_mode=mode,
        config=configured(core, options),
        rollout_is_weights=weights,
    )[0]


def ctpo(modules: dict, objective: str, options: dict, rows: Rows):
    core = modules["ctpo"]
    form = "geomean" if options.get("prefix") == "mean" else "cumprod"
    return getattr(core, f"compute_policy_loss_cum_token_{form}_la")(
        rows.oldLogprobs, rows.live, rows.advantages, rows.mask, config=configured(core, options)
    )[0]


def opid(modules: dict, objective: str, options: dict, rows: Rows):
    taught = torch.ones(len(rows.lengths))
    return modules["opid"].compute_opd_loss(
        rows.live, rows.oldLogprobs, rows.teacherLogprobs, rows.mask, taught, options["mode"], options.get("clip")
    )[0]


def holderpo(modules: dict, objective: str, options: dict, rows: Rows):
    return modules["holderpo"].compute_policy_loss_holder_seq(
        rows.oldLogprobs,
        rows.live,
        rows.rowAdvantages,
        rows.mask,
        cliprange_low=options["clipLow"],
        cliprange_high=options["clipHigh"],
        holder_p=options["exponent"],
    )[0]


def trinity(modules: dict, objective: str, options: dict, rows: Rows):
    if objective == "dpo":
        made = modules["trinity_dpo"].DPOLossFn(beta=options["beta"], label_smoothing=options["labelSmoothing"])
        # Its sums run over the whole array, so it is asked one pair at a time.
        pairs = range(0, len(rows.lengths), 2)
        asked = [
            made(rows.live[at : at + 2], rows.referenceLogprobs[at : at + 2], rows.mask[at : at + 2])[0] for at in pairs
        ]
        return torch.stack(asked).mean()
    if objective == "cross-entropy":
        return modules["trinity_sft"].SFTLossFn()(rows.live, rows.mask)[0]
    made = modules["trinity_opmd_loss"].OPMDPolicyLossFn(tau=options["tau"])
    return made(rows.live, rows.mask, rows.advantages)[0]


def apo(modules: dict, objective: str, options: dict, rows: Rows):
    scores = torch.zeros_like(rows.mask)
    last = (rows.mask * torch.arange(1, rows.mask.shape[1] + 1)).argmax(dim=1)
    scores[torch.arange(len(rows.lengths)), last] = rows.rowAdvantages[:, 0]
    return modules["apo"].compute_policy_loss(
        rows.mask, rows.referenceLogprobs, rows.live, rows.mask.shape[1], scores, 0.0, options["beta"]
    )


CHECKOUTS = {
    "verl": verl,
    "ctpo": ctpo,
    "opid": opid,
    "holderpo": holderpo,
    "trinity": trinity,
    "apo": apo,
}


def run_objective(modules: dict, case: dict, data: dict) -> dict:
    rows = Rows(data)
    loss = CHECKOUTS[case["checkout"]](modules, case["objective"], case["options"], rows)
    loss.backward()
    gradient = [rows.live.grad[at, :length].tolist() for at, length in enumerate(rows.lengths)]
    return {"loss": loss.item(), "gradient": gradient}


def schedules(modules: dict, case: dict) -> list[float] | None:
    """Functions of numbers: as many results as inputs."""
    name, inputs = case["name"], case["inputs"]
    if name.startswith("extra-rollouts"):
        module = modules["dars_schedule"]
        compute = module.schedule_ET if case["options"]["schedule"] == "equal" else module.schedule_HW
        form = case["options"]["form"] == "root"
        return [float(compute(accuracy, count, case["options"]["most"], form)) for accuracy, count in inputs]
    if name.startswith("holder-exponent"):
        form = {"linear": "linear_dec", "cosine": "cos", "power": "quad_dec"}[case["options"]["annealing"]]
        compute = modules["holderpo"].resolve_holder_p
        return [compute(1.0, form, -2.0, 2.0, 500, 2.0, step) for (step,) in inputs]
    if name == "adaptive-kl":
        found = []
        for kl, steps in inputs:
            control = modules["verl"].AdaptiveKLController(0.2, case["options"]["target"], case["options"]["horizon"])
            control.update(kl, steps)
            found.append(float(control.value))
        return found
    core, beta = modules["verl"], case["options"]["beta"]
    return [
        float(core.compute_rewards(torch.tensor(score), torch.tensor(old), torch.tensor(reference), beta))
        for score, old, reference in inputs
    ]
