# SPDX-License-Identifier: MIT
"""The programs as they are installed: arguments x files x environment, at random from a seed.

fuzz_programs.py SEED SECONDS: changed and cut files of the corpora, options of lib/cli/options.txt in any
combination, side files (rules, policies, maps, defaults, indexes in the cache, stores), variables, outputs that are full
or closed; with a limit of memory and of CPU time. A run fails when a signal ends it, when it takes too much time or
writes too much, when a sanitizer reports, when the sandbox is met, or with a status that tracemill(7) does not
have. What failed is printed as a command line, with its files kept.
"""
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

SEED, SECONDS = int(sys.argv[1]), float(sys.argv[2])
SRC, BIN, DATA = (os.environ[k] for k in ("SRC", "BIN", "DATA"))
SANITIZED = bool(os.environ.get("SAN"))
CPU = 60 if SANITIZED else 15
BUDGET = 256 << 20  # bytes of output: inputs are small
MOST = 64 << 10  # bytes of an input
rng = random.Random(SEED)


def option_table():
    """word: what it takes; '-': nothing."""
    table = {}
    for line in open(SRC + "/lib/cli/options.txt"):
        row = re.split(r"\s{2,}|\t", line.strip())
        if line[:1].isalpha() and len(row) >= 3 and not row[1].startswith("old:"):
            table[row[0]] = row[1].split("|")[0]
    return table


ARGUMENTS = option_table()
# What ends in a server, a pager, the network or another's file.
NEVER = {"listen", "follow", "debuginfod", "serve", "pid", "unity", "color", "collect", "output", "wait",
         "save-baseline", "mcp", "lines", "help", "version", "config-file", "original", "jobs"}
PROGRAMS = ["tm-top", "tm-frames", "tm-heap", "tm-spikes", "tm-compare", "tm-history", "tm-merge", "tm-symbolize",
            "tm-import", "tm-filter", "tm-export", "tm-dump", "tm-inspect", "tm-addr2line", "tm-llvm-symbolizer",
            "tm-view", "tracemill"]


def options_of(program):
    if program == "tracemill":
        return []
    said = subprocess.run([BIN + "/" + program, "--help", "all"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL).stdout.decode()
    words = set(re.findall(r"--([a-z][a-z0-9-]+)", said))
    return sorted(w for w in words if w in ARGUMENTS and w not in NEVER)


def seeds():
    """Small files of all kinds, by folder."""
    found = []
    for top in (SRC + "/tests/fuzz/corpus", DATA):
        for folder, folders, files in os.walk(top):
            folders.sort()
            found += [os.path.join(folder, f) for f in sorted(files)]
    groups = {}
    for path in found:
        if os.path.isfile(path) and 0 < os.path.getsize(path) <= 4 * MOST:
            groups.setdefault(os.path.dirname(path), []).append(path)
    return groups


def interesting():
    return rng.choice([0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])


def mutate(data):
    """Nothing, a cut, or some of the usual changes."""
    data = bytearray(data)
    how = rng.random()
    if how < 0.15 or not data:
        return bytes(data)
    if how < 0.4:
        return bytes(data[:rng.randrange(len(data))])
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        if not data:
            break
        at = rng.randrange(len(data))
        kind = rng.randrange(7)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            size = rng.choice([1, 2, 4, 8])
            data[at:at + size] = (interesting() & ((1 << 8 * size) - 1)).to_bytes(size, rng.choice(["little", "big"]))
        elif kind == 3:
            del data[at:at + rng.randrange(1, 64)]
        elif kind == 4:
            data[at:at] = data[at:at + rng.randrange(1, 256)]
        elif kind == 5:
            numbers = list(re.finditer(rb"[0-9]+", bytes(data[at:at + 4096])))
            if numbers:
                m = rng.choice(numbers)
                data[at + m.start():at + m.end()] = rng.choice([b"-1", b"0", b"1e999", b"nan", str(interesting()).encode()])
        else:
            lines = bytes(data).split(b"\n")
            if 2 < len(lines) < 10000:
                i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[i], lines[j] = lines[j], lines[i]
                data = bytearray(b"\n".join(lines))
    return bytes(data)


SIDES = [
    b"[rule heap]\nmetric = requested\npercent = 2\n", b"[owner]\nteam A: function A\n", b"leak:malloc\n",
    b"function ^std::\nmodule libc\n", b"slow 2ms\nspike 3x\n", b"A\nB\n^x.*$\n", b"debug-dir = .\nsites = rules\n",
    b"7f0000000000-7f0000001000 r-xp 00000000 08:01 5 /lib/x.so\n", b"0x1000 0x20 jitted\n", b"",
    b"# nothing\n", b"\xef\xbb\xbfpolicy = rules\n",
]
FIXED = {
    "by": ["site", "function", "location", "stack", "type", "file", "module", "frame", "thread", "owner", "type,site"],
    "as": ["text", "csv", "tsv", "json", "html", "markdown", "junit", "sarif", "code-quality", "folded", "speedscope", "pprof", "chrome",
           "sqlite", "maps", "events"],
    "sort": ["auto", "requested", "peak", "count", "self-time", "live", "lifetime", "samples"],
    "metrics": ["all", "requested,count", "peak-count"], "domain": ["all", "auto", "malloc", "lua", "mono"],
    "per": ["capture", "run", "frame", "second"], "every": ["1ms", "1ns", "1h"], "spike": ["2x", "1ms"],
    "format": ["trace", "csv", "folded", "pprof", "chrome", "loli", "memtracer"], "engine": ["fast", "reference"],
    "merge": ["auto", "frames", "time"], "locations": ["return", "exact", "auto"], "query": ["top", "frames --tops 2", "heap", "compare"],
    "table": ["all", "rows", "runs", "policy", "nothing"], "memory": [""], "plot": ["requested"], "anonymize": ["paths", "functions"],
}
TEXTS = ["", ".", "a", "^$", "(", "[a-z]+", "0", "-1", "1", "3", "1..2", "2..1", "0x10", "1ms..2ms", "1GiB", "all", "\xff",
         "%s%n", "18446744073709551616", "x=y", "=", ",", "a" * 3000]


def value_of(word, kind, sides):
    if word in FIXED and rng.random() < 0.8:
        return rng.choice(FIXED[word])
    if kind.startswith(("FILE", "DIR", "OLD", "NAME=")):
        return rng.choice(["=", ""]).join(["", rng.choice(sides)]) if rng.random() < 0.1 else rng.choice(sides)
    return rng.choice(TEXTS)


def make_case(folder, groups, known):
    program = rng.choice(PROGRAMS + ["tracemill", "tm-view"])
    files = []
    group = groups[rng.choice(sorted(groups) if rng.random() < 0.7 else [g for g in sorted(groups) if g.endswith("/trace")])]
    for i in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice(group)
        with open(path, "rb") as f:
            data = mutate(f.read(MOST))
        # Names say little: some readers look at them.
        name = "in%d%s" % (i, os.path.splitext(path)[1] if rng.random() < 0.8 else "")
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
        files.append(name)
    sides = ["rules", "other", "."]
    for side in sides[:2]:
        with open(os.path.join(folder, side), "wb") as f:
            f.write(mutate(rng.choice(SIDES)))
    if rng.random() < 0.1:
        with open(os.path.join(folder, "tracemill.ini"), "wb") as f:
            f.write(mutate(rng.choice([b"sites = rules\n", b"policy = rules\nowners = other\n", b"sysroot = .\n"])))
    args = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
        if known[program]:
            word = rng.choice(known[program])
            kind = ARGUMENTS[word]
            args.append("--" + word if kind == "-" else "--%s=%s" % (word, value_of(word, kind, sides)))
    args = [a.encode("latin-1", "replace").replace(b"\0", b"") for a in args]
    if program == "tracemill":
        args = [b"show"]
    elif program == "tm-history":
        args = [rng.choice([b"add", b"add", b"list", b"trend", b"change-points", b"blame"])] + args + [b"store.db"]
    elif program == "tm-view":
        args += [b"--query", rng.choice([b"top", b"frames", b"top --by stack -n 0", b"heap", b"compare", b"top --as html"])]
    elif program == "tm-compare" and rng.random() < 0.4:
        args += [b"--save-baseline", b"saved.tma"]
    elif program == "tm-export" and not any(a.startswith(b"--as") for a in args):
        args += [b"--as", rng.choice([b"folded", b"speedscope", b"pprof", b"chrome", b"sqlite"])]
    elif program == "tm-llvm-symbolizer":
        args += [b"--obj=" + files[0].encode(), b"0x1000"]
        files = []
    elif program == "tm-addr2line":
        args += [b"-e", files[0].encode(), b"-f", b"-i", b"0x1000", b"0x401136"]
        files = []
    if rng.random() < 0.2 and program not in ("tracemill", "tm-history", "tm-addr2line", "tm-llvm-symbolizer", "tm-view"):
        args += [b"-o", rng.choice([b"out.file", b"/dev/full", b"gone/out", b"."])]
    names = [f.encode() for f in files]
    return [os.path.join(BIN, program).encode()] + args + names


def environment(folder, cache):
    e = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")}
    e.update(HOME=folder, XDG_CACHE_HOME=cache, TMPDIR=folder, LC_ALL=rng.choice(["C", "C.UTF-8", "de_DE.UTF-8", "nonsense"]))
    for name, values in (("COLUMNS", ["0", "1", "-5", "99999999999", "x"]), ("HOME", ["/nonexistent", ""]),
                         ("TMPDIR", ["/nonexistent", ""]), ("XDG_CACHE_HOME", ["", "/dev/null", "relative"]),
                         ("TRACEMILL_CONFIG", ["", "rules", "/dev/null", "."]), ("TRACEMILL_CACHE_LIMIT", ["0", "x", "-1"]),
                         ("LANG", ["tr_TR.UTF-8"]), ("NO_COLOR", ["1"]), ("TZ", [":/nonexistent"])):
        if rng.random() < 0.06:
            e[name] = rng.choice(values)
    return e


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (BUDGET, BUDGET))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (2000000 << 10, 2000000 << 10))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def run(command, folder, env):
    """What is wrong with it, or None."""
    out_kind = rng.choice(["file"] * 7 + ["full", "closed", "none"])
    out = open(os.path.join(folder, "out"), "wb") if out_kind in ("file", "none") else None
    if out_kind == "full":
        out = open("/dev/full", "wb")
    elif out_kind == "closed":
        ends = os.pipe()
        os.close(ends[0])
        out = os.fdopen(ends[1], "wb")
    err = open(os.path.join(folder, "err"), "wb")
    first = [f for f in os.listdir(folder) if f.startswith("in0")]
    stdin = open(os.path.join(folder, first[0]), "rb") if rng.random() < 0.1 else subprocess.DEVNULL

    def before():
        limits()
        if out_kind == "none":
            os.close(1)

    p = subprocess.Popen(command, cwd=folder, env=env, stdin=stdin, stdout=out, stderr=err, preexec_fn=before,
                         start_new_session=True)
    try:
        status = p.wait(timeout=600)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        return "does not end"
    finally:
        out.close()
        err.close()
    with open(os.path.join(folder, "err"), "rb") as f:
        said = f.read(1 << 20)
    if status == -signal.SIGPIPE and out_kind == "closed":
        return None
    if status < 0:
        return "ended by %s" % signal.Signals(-status).name
    if status not in (0, 1, 2, 3, 4, 5):
        return "status %d" % status
    if b"Sanitizer" in said or b"runtime error" in said:
        return "a sanitizer's report"
    if b"this program has no business" in said:
        return "a call outside of the sandbox"
    written = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(folder) for f in fs)
    if written > BUDGET:
        return "%d bytes written" % written
    if status == 3 and not said and b"--if-useful" not in command and out_kind == "file" and not os.path.getsize(os.path.join(folder, "out")):
        return "status 3 without a word"
    left = [f for f in os.listdir(folder) if f.startswith(("out.file.", "saved.tma."))]
    if left:
        return "leaves " + left[0]
    return None


def spoil_cache(cache):
    """Indexes that other programs have written over."""
    files = [os.path.join(d, f) for d, _, fs in os.walk(cache) for f in fs]
    if files:
        path = rng.choice(files)
        with open(path, "rb") as f:
            data = mutate(f.read(4 * MOST))
        with open(path, "wb") as f:
            f.write(data)


def main():
    os.makedirs("kept", exist_ok=True)
    groups, known = seeds(), {p: options_of(p) for p in PROGRAMS}
    end, runs, failed, statuses = time.monotonic() + SECONDS, 0, 0, {}
    cache, store = os.path.abspath("cache"), None
    while time.monotonic() < end and failed < 5:
        folder = os.path.abspath("case")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if store is not None and rng.random() < 0.7:
            with open(os.path.join(folder, "store.db"), "wb") as f:
                f.write(mutate(store) if rng.random() < 0.7 else store)
        command = make_case(folder, groups, known)
        if rng.random() < 0.1:
            spoil_cache(cache)
        env = environment(folder, cache)
        wrong = run(command, folder, env)
        runs += 1
        made = os.path.join(folder, "store.db")
        if store is None and os.path.exists(made) and 0 < os.path.getsize(made) < 1 << 20:
            with open(made, "rb") as f:
                store = f.read()
        if wrong:
            failed += 1
            keep = os.path.join("kept", str(runs))
            shutil.copytree(folder, keep, symlinks=True)
            print("    in %s: %s" % (keep, " ".join(repr(a.decode("latin-1")) for a in command)))
            print("    %s" % {k: v for k, v in env.items() if k not in ("PATH",)})
            with open(os.path.join(folder, "err"), "rb") as f:
                print("    " + f.read(1000).decode("latin-1").replace("\n", "\n    "))
            print("not ok - seed %d, run %d: %s: %s" % (SEED, runs, os.path.basename(command[0].decode()), wrong))
    if not failed:
        print("ok - %d programs on changed files: %s" % (len(PROGRAMS), "no signal, no hang, no status of their own"))
    print("# %d runs" % runs, file=sys.stderr)
    return failed > 0


sys.exit(main())
