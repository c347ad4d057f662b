# SPDX-License-Identifier: MIT
"""Reports, by the programs that print them."""
from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Dict

from ._library import LIMIT, Error
from ._symbolize import Path

_GATE_FAILED = 1


def report(kind: str, *arguments: Path, allow_failed_gate: bool = True) -> Dict[str, Any]:
    """The report of tm-KIND ("top", "frames", "compare", "heap", "spikes", "history") with these
    operands and options, as a dictionary: the JSON of tracemill-report.schema.json. "status" is the
    program's exit status: 0 is fine, 1 is a gate that failed, 5 one that cannot tell.
    """
    words = ["tm-" + kind, "--as", "json"] + [os.fsdecode(a) for a in arguments]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not done.stdout.strip() or (done.returncode == _GATE_FAILED and not allow_failed_gate):
        raise Error(LIMIT, done.stderr.decode("utf-8", "replace").strip())
    answer: Dict[str, Any] = json.loads(done.stdout)
    answer["status"] = done.returncode
    return answer
