# SPDX-License-Identifier: MIT
"""python3 page.py BROWSER SRC CAPTURE: a row for run.sh of each action in tm-view's table of stacks: how many tasks the
page's main thread ran, and milliseconds of the processor of the longest and of the third longest one."""
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser  # noqa: E402

FIELD = "document.querySelector('.grid').previousElementSibling"


def scroll():
    x, y, w, h = b.place(".grid")
    for _ in range(30):
        b.call("Input.dispatchMouseEvent", type="mouseWheel", x=x + 200, y=y + 200, deltaX=0, deltaY=900)
    time.sleep(0.3)
    b.run("document.querySelector('.grid').scrollTop = 1e6; 1")
    time.sleep(0.3)


def search():
    b.run(FIELD + ".querySelector('input').focus()")
    b.type("a1")
    b.wait("/ of /.test(" + FIELD + ".textContent)")


p = subprocess.Popen(["tm-view", "-q", "--no-symbols", "--time-limit", "600", sys.argv[3]], stdout=subprocess.PIPE,
                     stderr=subprocess.DEVNULL, text=True)
b = Browser(sys.argv[1])
b.open(p.stdout.readline().strip())
b.go("#view=table&by=stack&rows=0")
b.wait("!!document.querySelector('.grid')")
print("%-52s %8s %8s %8s" % ("tm-view's page, a table of stacks", "tasks", "longest", "third"))
for what, action in (("scrolled by 30 turns and to the middle", scroll), ("filtered by two letters", search)):
    t = b.tasks(action) + [0, 0, 0]
    print("%-52s %8d %8.1f %8.1f" % (what, len(t) - 3, t[0], t[2]))
p.terminate()
b.close()
