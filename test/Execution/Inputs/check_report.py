#!/usr/bin/env python3
"""Checks what a report of memfmt-run must hold.

usage: check_report.py REPORT.json --conversions AT_MOST --folded COUNT
"""

import argparse
import json
import math

FIELDS = ["schema", "model", "machine", "objective", "lower_bound", "certificate", "conversions",
          "folded", "baselines", "operations", "latency_ms", "baseline_latency_ms",
          "max_abs_error", "arena_bytes", "compile_ms"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--conversions", type=int, required=True)
    parser.add_argument("--folded", type=int, required=True)
    options = parser.parse_args()
    with open(options.report) as file:
        report = json.load(file)
    for field in FIELDS:
        assert field in report, field
    assert report["objective"] == report["lower_bound"]
    assert report["certificate"] == {"method": "cut", "verified": True, "gap": 0}
    assert len(report["conversions"]) <= options.conversions
    assert report["folded"]["count"] == options.folded and report["folded"]["bytes"] > 0
    assert report["unfolded"]["count"] == 0
    for name in ["contiguous", "wrapped", "propagation"]:
        assert report["baselines"][name] >= report["objective"], name
    assert report["machine"]["threads"] >= 1
    # Predictions of all kernels add up to the objective, except for work that
    # has no kernel; reshapes cost nothing.
    predicted = sum(op["predicted_ns"] for op in report["operations"]) * 1000
    assert math.isclose(predicted, report["objective"], rel_tol=1e-6), (predicted, report["objective"])
    for op in report["operations"]:
        assert op["measured_ns"] > 0 and op["kernel"] and op["format"], op
    latency = report["latency_ms"]
    assert 0 < latency["min"] <= latency["p10"] <= latency["median"]


if __name__ == "__main__":
    main()
