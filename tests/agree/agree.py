#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds every place that prints a number to every other.

agree.py BIN [--seed N] [--share N | --questions N] [--break] CAPTURE...

A *question* is a program with arguments ("tm-top --by function"). Its answer as JSON is the reference:
each other place that prints the answer (a form, a way in, a door of tm-view, an export, an aggregate)
has to have the same numbers in the same cells. places.py has the table of places; each option and each
form that a program's --help lists has to be in it, so that a new one fails until somebody has decided
where its numbers are held to others.

All questions are asked about all captures, which takes hours. With --share N that is so for the largest
capture of each format, and N questions, which the seed chooses, are asked about each other one. With
--questions N the seed chooses both, until N had an answer. --break changes one digit in what each place
printed, and demands that the difference is found.
"""
import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(os.path.realpath(__file__)), os.path.join(os.path.dirname(os.path.realpath(__file__)), '..')]
import forms  # noqa: E402
import places  # noqa: E402


LARGEST = 128 << 20  # bytes of an answer


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


class Run:
    """One run of this script: programs, counts, and the folder for files."""

    def __init__(self, folder, work, breaking):
        self.bin, self.work, self.breaking = folder, work, breaking
        self.passed = self.failed = 0
        self.skipped = {}
        self.used = {}   # how often each place was compared
        self.cut = {}    # how often a broken answer of a place was tried, and found
        self.random = random.Random(0)
        self.env = {k: v for k, v in os.environ.items() if k in ('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS')}
        self.env.update(HOME=work, XDG_CACHE_HOME=work + '/cache', LC_ALL='C.UTF-8', TERM='dumb', TZ='UTC')

    def run(self, argv, stdin=None, status=0):
        """status: what is expected; None: whatever comes."""
        argv = [os.path.join(self.bin, argv[0])] + [str(a) for a in argv[1:]]
        with tempfile.TemporaryFile() as out:
            p = subprocess.run(argv, input=stdin if isinstance(stdin, bytes) else None,
                               stdin=None if isinstance(stdin, bytes) else stdin or subprocess.DEVNULL,
                               stdout=out, stderr=subprocess.PIPE, env=self.env, cwd=self.work, check=False,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST)))
            out.seek(0)
            answer = out.read()
        if len(answer) == LARGEST:
            raise places.TooLong(' '.join(argv))
        if status is not None and p.returncode != status:
            raise places.Refused('%s: status %d: %s' % (' '.join(argv), p.returncode,
                                                        p.stderr.decode('utf-8', 'replace').strip()[:200]))
        return Result(p.returncode, answer, p.stderr.decode('utf-8', 'replace'))

    def same(self, place, what, answer, compare):
        """compare(answer) returns the differences of a place's answer to the reference, as texts.
        None: there is no number in it that the reference has, too."""
        found = compare(answer)
        if found is None:
            self.skip('%s: no number to compare' % place)
            return
        self.used[place] = self.used.get(place, 0) + 1
        if not found:
            self.passed += 1
        else:
            self.failed += 1
            print('not ok - %s: %s: %s' % (place, what, '; '.join(found[:3])))
            sys.stdout.flush()
        if self.breaking and not found:
            # Some digits are of no number that is compared (names, addresses): a few tries.
            tries = self.cut.setdefault(place, [0, 0])
            for _ in range(400):
                if tries[1] >= 3:
                    break
                broken = places.broken(answer, self.random)
                if broken is None:
                    break
                tries[0] += 1
                try:
                    tries[1] += bool(compare(broken))
                except (ValueError, KeyError, IndexError, TypeError, AttributeError, SyntaxError):
                    tries[1] += 1

    def skip(self, why):
        self.skipped[why] = self.skipped.get(why, 0) + 1


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('bin')
    arguments.add_argument('captures', nargs='*')
    arguments.add_argument('--seed', type=int, default=1)
    arguments.add_argument('--questions', type=int)
    arguments.add_argument('--share', type=int)
    arguments.add_argument('--break', dest='breaking', action='store_true')
    o = arguments.parse_intermixed_args()
    work = tempfile.mkdtemp(prefix='agree.')
    run = Run(os.path.realpath(o.bin), work, o.breaking)
    run.random = random.Random(o.seed)
    try:
        for what in places.unlisted(run):
            run.failed += 1
            print('not ok - ' + what)
        captures = [os.path.realpath(c) for c in o.captures]
        known, asked = {}, 0
        work_list = [(c, q) for c in captures for q in places.QUESTIONS]
        if o.questions:
            run.random.shuffle(work_list)
        elif o.share:
            work_list, largest = [], {}
            for c in sorted(captures, key=os.path.getsize, reverse=True):
                known[c] = places.capture(run, c)
                first = known[c] and largest.setdefault(known[c].format, c) == c
                work_list += [(c, q) for q in (places.QUESTIONS if first else run.random.sample(places.QUESTIONS, o.share))]
        for capture, question in work_list:
            if o.questions and asked >= o.questions:
                break
            if capture not in known:
                known[capture] = places.capture(run, capture)
            if known[capture] is None:
                continue
            asked += 1
            places.ask(run, known[capture], question)
        captures = [k for k, v in known.items() if v is not None]
        print('%d questions about %d captures; %d of %d places had a number to compare' %
              (asked, len(captures), len(run.used), len(places.PLACES)))
        for place in places.PLACES:
            if place not in run.used and not o.questions:
                run.failed += 1
                print('not ok - %s: no capture has a number for it' % place)
        if o.breaking:
            for place, (tried, found) in sorted(run.cut.items()):
                if tried and not found:
                    run.failed += 1
                    print('not ok - %s: %d changed digits, and none was found' % (place, tried))
                else:
                    run.passed += 1
        for why, n in sorted(run.skipped.items()):
            print('left out: %s: %d' % (why, n))
        print('%d passed, %d failed, %d skipped' % (run.passed, run.failed, 0))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if run.failed or not run.passed else 0


if __name__ == '__main__':
    sys.exit(main())
