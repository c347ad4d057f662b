# SPDX-License-Identifier: MIT
"""The walk of docs/pictures.sh, in its folder."""
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser  # noqa: E402

b = Browser(sys.argv[1])


def picture(name, height):
    """Of the page from its top, as wide as a README shows it, with half as many pixels more for what needs them."""
    b.call("Emulation.setDeviceMetricsOverride", width=900, height=height, deviceScaleFactor=1.5, mobile=False)
    b.run("new Promise(go => setTimeout(go, 500))")
    b.picture(os.path.join(sys.argv[2], "docs", name + ".png"))


def view(name, height, files, hash_, language=""):
    p = subprocess.Popen(["tm-view", "-q", *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    b.open(p.stdout.readline().strip() + language)
    b.go(hash_)
    picture(name, height)
    p.terminate()
    p.wait()


b.call("Emulation.setDeviceMetricsOverride", width=900, height=700, deviceScaleFactor=1.5, mobile=False)
view("view", 730, ["run.tmt"], "#view=flame&mode=flame")
view("view.zh-CN", 690, ["run.tmt"], "#view=flame&mode=flame", "?lang=zh")
view("compare", 940, ["run.tmt"], "#view=compare&by=type&basef=1..100&newf=201..300")
b.open("file://%s/report.html" % os.getcwd(), "typeof graphs !== 'undefined'")
picture("report", 690)
b.close()
