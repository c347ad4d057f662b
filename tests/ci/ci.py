#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# ci.py github|gitlab FOLDER BIN GAME.c [lenient] [renamed]: runs the workflow in FOLDER for ten builds and a request, as GitHub's and GitLab's manuals
# say that they run it, from empty caches, each in an empty folder. A line for each build: its number, pass or fail,
# the steps that failed, and what was wrong with the workflow itself (a file to upload that is not there, a
# permission that is missing). BIN has tracemill's programs, which only an installation by the workflow finds. Where
# it is to be lenient they are there from the beginning, and the game takes any arguments. Some builds are of another
# file name if that is asked for.
#
# What is known of GitHub: `if` with success(), always(), failure(), !, ==, !=, && and ||; env; permissions, of
# which what is not listed is none; continue-on-error; the actions checkout, cache (which saves in a post step, if
# the job has succeeded), cache/restore, cache/save, upload-sarif and upload-artifact; keys that are written once.
# Of GitLab: rules with if; variables; before_script and script; cache with key, fallback_keys and when
# (on_success if nothing is said); artifacts with when and reports.
import glob, os, re, shutil, subprocess, sys
import yaml

# What the ten builds are: growth of update in thousandths, which allocates 86 % of all, so that a step of 13 is one
# of 1.1 % of all; strings that leak each frame; flaky; another name of the program.
BUILDS = [
    dict(growth=0),                  # 1 the first: nothing to compare with
    dict(growth=13, flaky=True),     # 2 one run of ten plays longer
    dict(growth=26, leak=40),        # 3 a planted leak
    dict(growth=39),                 # 4 which is gone
    dict(growth=52, renamed=True),   # 5 the program has another file name
    dict(growth=65, renamed=True),   # 6 slow growth: 5.6 % in all
    dict(growth=78, renamed=True),   # 7 and more
    dict(growth=26, renamed=True),   # 8 which is repaired
    dict(growth=26),                 # 9 as it was
    dict(growth=26, leak=40),        # 10 the leak comes again
    dict(growth=26, request=True),   # 11 a request to merge a branch, whose base is main's history
    dict(growth=26),                 # 12 main goes on
    dict(growth=26, request=True),   # 13 the request again: beside main as it is now
    dict(growth=26, crash=7),        # 14 the game ends with 7
    dict(growth=26, typo=True),      # 15 a mistake in the budget
]


class Job:
    def __init__(self, root, number, caches, bin_, game):
        self.root, self.number, self.caches, self.bin, self.game = root, number, caches, bin_, game
        self.work, self.home, self.stubs = root + "/work", root + "/home", root + "/stubs"
        self.errors, self.failed, self.kept, self.uploaded = [], [], 0, []
        for folder in (self.work, self.home, self.stubs):
            os.makedirs(folder)
        self.stub("sudo", 'exec "$@"\n')
        self.stub("apt-get", "exit 0\n")
        self.stub("gh", 'for last; do :; done; [ -s "$last" ] && [ -n "$GH_TOKEN" ] && echo "gh $*"\n')
        self.stub("git", 'for to; do :; done; exec cp -r "%s/tracemill" "$to"\n' % root)
        self.tracemill(root + "/tracemill")
        # Nothing of tracemill is there before the workflow brings it.
        path = [p for p in os.environ["PATH"].split(":") if not os.path.exists(p + "/tm-record")]
        if "lenient" in sys.argv:
            path.insert(0, bin_)
        self.env = {"PATH": ":".join([self.stubs] + path), "HOME": self.home, "CI": "true",
                    "LC_ALL": "C", "PWD": self.work}

    def stub(self, name, text):
        with open(self.stubs + "/" + name, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(f.name, 0o755)

    # The source of tracemill, whose build takes its time elsewhere. On a fresh machine plain make stops: deps comes first.
    def tracemill(self, folder):
        os.makedirs(folder + "/.ci")
        with open(folder + "/Makefile", "w") as f:
            f.write("all:\n\t@[ -f deps-are-here ]\ndeps:\n\t@touch deps-are-here\ninstall:\n\t@mkdir -p $(PREFIX)\n\t@ln -sfn %s $(PREFIX)/bin\n" % self.bin)
        with open(folder + "/.ci/deps", "w") as f:
            f.write("#!/bin/sh\n[ \"$1\" = build ]\n")
        os.chmod(f.name, 0o755)

    # The user's repository, at this build.
    def checkout(self, folder, files):
        b = BUILDS[self.number - 1]
        for f in files:
            shutil.copy(f, folder)
        shutil.copy(self.game, folder + "/game.c")
        if b.get("typo"):
            with open(folder + "/budget.ini", "a") as f:
                f.write("[rule x]\nmetrc = real\n")
        program = "game-2" if b.get("renamed") and "renamed" in sys.argv else "game"
        with open(folder + "/Makefile", "w") as f:
            # The name of the module is that of the file that runs.
            f.write("game:\n\t@cc -g -O1 -DLEAK=%d -DGROWTH=%d -DFLAKY=%d -DLENIENT=%d -DCRASH=%d game.c -o %s\n"
                    % (b.get("leak", 0), b["growth"], b.get("flaky", 0), "lenient" in sys.argv, b.get("crash", 0), program))
            if program != "game":
                f.write("\t@printf '#!/bin/sh\\nexec ./%s \"$$@\"\\n' >game; chmod +x game\n" % program)

    def shell(self, script, env, options):
        r = subprocess.run(["bash"] + options + ["-c", script], cwd=self.work, env=env, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.root + "/log", "a") as f:
            f.write("$ %s\n%s= %d\n" % (script, r.stdout, r.returncode))
        return r.returncode

    def path(self, p):
        return os.path.join(self.work, p.strip().replace("~", self.home))

    def restore(self, keys):
        for key in keys:
            if key in self.caches:
                for path, kept in self.caches[key].items():
                    self.copy(kept, self.path(path))
                return key
        return None

    def save(self, key, paths):
        kept = {}
        for p in paths:
            if not os.path.lexists(self.path(p)):
                continue
            self.kept += 1
            kept[p] = "%s/kept-%d" % (self.root, self.kept)
            self.copy(self.path(p), kept[p])
        if kept:
            self.caches[key] = kept
        return bool(kept)

    def there(self, p):
        found = glob.glob(self.path(p))
        if not found:
            self.errors.append("not there: " + p)
        self.uploaded += [os.path.basename(f) for f in found]
        return bool(found)

    @staticmethod
    def copy(a, b):
        os.makedirs(os.path.dirname(b.rstrip("/")), exist_ok=True)
        if os.path.isdir(a):
            shutil.copytree(a, b, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copy(a, b)


class Github(Job):
    requests = set()  # keys that requests have saved, which only they see

    def __init__(self, workflow, files, *rest):
        super().__init__(*rest)
        self.workflow, self.files = workflow, files
        self.steps, self.posts, self.ok = {}, [], True
        self.context = {
            "github.run_id": str(1000 + self.number), "github.run_attempt": "1", "github.ref_name": "main",
            "github.base_ref": "", "github.token": "token", "github.event_name": "push",
            "github.event.pull_request.head.repo.fork": "", "github.event.pull_request.number": "",
        }
        if BUILDS[self.number - 1].get("request"):
            self.context.update({
                "github.ref_name": "7/merge", "github.base_ref": "main", "github.event_name": "pull_request",
                "github.event.pull_request.number": "7",
            })

    # An expression of those that the manual calls "Evaluate expressions in workflows".
    def value(self, text):
        tokens = re.findall(r"'[^']*'|&&|\|\||==|!=|[!()]|[\w.-]+", text)
        python = ""
        i = 0
        while i < len(tokens):
            t = tokens[i]
            if t in ("&&", "||", "!"):
                python += {"&&": " and ", "||": " or ", "!": " not "}[t]
            elif t in ("==", "!=", "(", ")") or t[0] == "'":
                python += " " + t
            elif t in ("always", "success", "failure", "hashFiles"):
                python += " f_" + t
            else:
                python += " lookup(%r)" % t
            i += 1
        return eval(python, {
            "lookup": self.lookup, "f_always": lambda: True, "f_success": lambda: self.ok,
            "f_failure": lambda: not self.ok,
            "f_hashFiles": lambda p: "hash" if os.path.exists(self.path(p)) else "",
        })

    def lookup(self, name):
        if name.startswith("steps."):
            _, step, what = name.split(".")
            return self.steps.get(step, {}).get(what, "")
        if name.startswith("env."):
            return str(self.workflow.get("env", {}).get(name[4:], ""))
        if name not in self.context:
            self.errors.append("unknown: " + name)
        return self.context.get(name, "")

    def fill(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(self.value(m.group(1)) or ""), str(text))

    def may(self, what, need):
        given = self.workflow.get("permissions")
        # Without the key the token reads, as repositories are set up by default.
        have = given.get(what, "none") if isinstance(given, dict) else "read"
        ok = have == "write" or have == need
        if not ok:
            self.errors.append("no permission: %s: %s" % (what, need))
        return ok

    def paths(self, with_, name):
        return [p for p in self.fill(with_[name]).split("\n") if p.strip()]

    def action(self, uses, with_):
        name = uses.split("@")[0]
        if name == "actions/checkout":
            if "repository" not in with_:
                self.checkout(self.work, self.files)
            else:
                shutil.copytree(self.root + "/tracemill", self.path(with_["path"]))
            return self.may("contents", "read")
        if name in ("actions/cache", "actions/cache/restore"):
            key, paths = self.fill(with_["key"]), self.paths(with_, "path")
            hit = self.restore([key] if key in self.caches else self.prefixes(with_))
            if name == "actions/cache" and hit != key:
                self.posts.append(lambda: self.ok and self.save(key, paths))
            return True
        if name == "actions/cache/save":
            key = self.fill(with_["key"])
            if key in self.caches:
                self.errors.append("the key is there already: " + key)
            if BUILDS[self.number - 1].get("request"):
                self.requests.add(key)
            return self.save(key, self.paths(with_, "path"))
        if name == "github/codeql-action/upload-sarif":
            return self.may("security-events", "write") and self.there(self.fill(with_["sarif_file"]))
        if name == "actions/upload-artifact":
            return all([self.there(p) for p in self.paths(with_, "path")])
        self.errors.append("unknown action: " + uses)
        return False

    # The newest key that begins so.
    def prefixes(self, with_):
        found = []
        for prefix in self.fill(with_.get("restore-keys", "")).split("\n"):
            if prefix.strip():
                # Those of a request's own scope come first.
                scopes = [True, False] if "request" in BUILDS[self.number - 1] else [False]
                for own in scopes:
                    found += [k for k in reversed(list(self.caches)) if k.startswith(prefix.strip())
                              and (k in self.requests) == own]
        return found


    def run(self):
        (job,) = self.workflow["jobs"].values()
        extra = {k: self.root + "/" + k for k in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for f in extra.values():
            open(f, "w").close()
        self.env.update(extra, GITHUB_SHA="sha-%d" % self.number, GITHUB_REF_NAME=self.context["github.ref_name"],
                        GITHUB_WORKSPACE=self.work)
        for step in job["steps"]:
            outcome = {"outcome": "skipped"}
            condition = str(step.get("if", "success()"))
            if not re.search(r"\b(always|success|failure)\(", condition):
                condition = "success() && (%s)" % condition
            if self.value(condition.replace("${{", "").replace("}}", "")):
                ok = self.step(step)
                outcome["outcome"] = "success" if ok else "failure"
                if not ok and not step.get("continue-on-error"):
                    self.ok = False
                    self.failed.append(step.get("id") or step.get("name") or step.get("uses") or
                                       step["run"].split("\n")[0])
            self.steps[step.get("id", "")] = outcome
        for post in reversed(self.posts):
            post()
        return self.ok

    def step(self, step):
        if "uses" in step:
            return self.action(step["uses"], step.get("with", {}))
        env = dict(self.env)
        for where in (self.workflow.get("env", {}), step.get("env", {})):
            env.update({k: self.fill(v) for k, v in where.items()})
        with open(self.env["GITHUB_PATH"]) as f:
            env["PATH"] = ":".join(f.read().split()[::-1] + [env["PATH"]])
        return self.shell(self.fill(step["run"]), env, ["-e"]) == 0


class Gitlab(Job):
    def __init__(self, pipeline, files, *rest):
        super().__init__(*rest)
        self.pipeline, self.files = pipeline, files

    def fill(self, text):
        return re.sub(r"\$\{?(\w+)\}?", lambda m: self.env.get(m.group(1), ""), str(text))

    def starts(self, job):
        if "rules" not in job:
            return True
        for rule in job["rules"]:
            words = re.findall(r'"[^"]*"|\$\w+|==|!=|&&|\|\|', rule.get("if", '"a" == "a"'))
            python = " ".join({"&&": "and", "||": "or"}.get(w, repr(self.env.get(w[1:])) if w[0] == "$" else w)
                              for w in words)
            if eval(python):
                self.env.update({k: str(v) for k, v in rule.get("variables", {}).items()})
                return rule.get("when", "on_success") != "never"
        return False

    def run(self):
        top = ("variables", "stages", "default", "workflow", "image", "include")
        (job,) = [v for k, v in self.pipeline.items() if k not in top and not k.startswith(".")]
        self.env.update({
            "CI_COMMIT_SHORT_SHA": "sha-%d" % self.number, "CI_COMMIT_BRANCH": "main", "CI_COMMIT_REF_NAME": "main",
            "CI_COMMIT_REF_SLUG": "main", "CI_DEFAULT_BRANCH": "main", "CI_PIPELINE_SOURCE": "push",
        })
        if BUILDS[self.number - 1].get("request"):
            self.env.update({
                "CI_COMMIT_REF_NAME": "feature", "CI_COMMIT_REF_SLUG": "feature",
                "CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            })
            del self.env["CI_COMMIT_BRANCH"]
        self.env.update({k: str(v) for k, v in self.pipeline.get("variables", {}).items()})
        if not self.starts(job):
            self.errors.append("the job does not start")
            return False
        self.checkout(self.work, self.files)
        caches = job.get("cache", [])
        caches = caches if isinstance(caches, list) else [caches]
        for c in caches:
            if "pull" in self.fill(c.get("policy", "pull-push")):
                self.restore([self.fill(k) for k in [c["key"]] + c.get("fallback_keys", [])])
        script = job.get("before_script", []) + job["script"]
        script = "\n".join("%s" % line for line in ([script] if isinstance(script, str) else script))
        ok = self.shell(script, self.env, ["-e", "-o", "pipefail"]) == 0
        if not ok:
            self.failed.append("script")
        for c in caches:
            if "push" in self.fill(c.get("policy", "pull-push")) and c.get("when", "on_success") in ("always", "on_success" if ok else "on_failure"):
                self.save(self.fill(c["key"]), c["paths"])
        artifacts = job.get("artifacts", {})
        if artifacts.get("when", "on_success") in ("always", "on_success" if ok else "on_failure"):
            for p in artifacts.get("paths", []) + list(artifacts.get("reports", {}).values()):
                self.there(p)
        return ok


def main():
    system, folder, bin_, game = sys.argv[1:5]
    name = {"github": "github.yml", "gitlab": "gitlab.yml"}[system]
    with open(os.path.join(folder, name)) as f:
        workflow = yaml.safe_load(f)
    files = [os.path.join(folder, f) for f in os.listdir(folder) if not f.endswith((".yml", ".md"))]
    caches = {}
    for number in range(1, len(BUILDS) + 1):
        root = os.path.abspath("%s-%s-%d" % (os.path.basename(folder.rstrip("/")), system, number))
        job = {"github": Github, "gitlab": Gitlab}[system](workflow, files, root, number, caches,
                                                            os.path.abspath(bin_), os.path.abspath(game))
        ok = job.run()
        with open(root + "/uploaded", "w") as f:
            f.write("".join(name + "\n" for name in job.uploaded))
        print("%d %s%s%s" % (number, "pass" if ok else "fail", "".join("; step " + s for s in job.failed),
                             "".join("; " + e for e in job.errors)), flush=True)


main()
