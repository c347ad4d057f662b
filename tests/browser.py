# SPDX-License-Identifier: MIT
"""A page in a headless Chromium, driven through the DevTools protocol over its pipe: real clicks, drags
and keys, and pictures. Python alone."""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

failed = 0


def check(what, ok):
    global failed
    print(("ok - " if ok else "not ok - ") + what, flush=True)
    failed |= not ok


def finish():
    sys.exit(failed)


class Browser:
    def __init__(self, program, width=1400, height=900, dark=False):
        self.folder = tempfile.mkdtemp(prefix="tmv", dir="/tmp")  # its socket needs a short path
        to, ours = os.pipe()
        back, theirs = os.pipe()

        def pipes():
            # In one step each would take the other's place.
            a, b = os.dup(to), os.dup(theirs)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--force-color-profile=srgb", "--hide-scrollbars",
             "--user-data-dir=" + self.folder, "--remote-debugging-pipe", "--no-proxy-server", "about:blank"],
            preexec_fn=pipes, close_fds=False, env={**os.environ, "TMPDIR": self.folder},
            stdout=subprocess.DEVNULL, stderr=open("chromium.log", "wb"))
        os.close(to)
        os.close(theirs)
        self.out, self.inp = os.fdopen(ours, "wb", 0), os.fdopen(back, "rb", 0)
        self.n, self.rest, self.session, self.events = 0, b"", None, []
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.size(width, height)
        self.theme(dark)

    def call(self, method, **params):
        self.n += 1
        message = {"id": self.n, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            pieces = [self.rest]  # an answer may have many megabytes
            while b"\0" not in pieces[-1]:
                pieces.append(self.inp.read(1 << 20))
                if not pieces[-1]:
                    raise RuntimeError("the browser has ended")
            line, self.rest = b"".join(pieces).split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.n:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        r = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return r["result"].get("value")

    def wait(self, script, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            try:
                if self.run(script):
                    return True
            except RuntimeError as e:  # what is waited for may be another page
                if "navigated" not in str(e):
                    raise
            time.sleep(0.05)
        return False

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, address, shown="!!document.body.dataset.shown"):
        self.call("Page.navigate", url="about:blank")  # what the page before has shown counts for nothing
        self.call("Page.navigate", url=address)
        return self.wait("location.href !== 'about:blank' && document.readyState === 'complete' && !!document.body && " + shown)

    def go(self, hash_):
        """A state of the page, until it is shown."""
        self.run("document.body.dataset.shown = ''; location.hash = %s" % json.dumps(hash_))
        return self.wait("!!document.body.dataset.shown", 120)

    def place(self, selector):
        return self.run("(() => { const e = document.querySelector(%s); if (!e) return null; e.scrollIntoView({block: 'center'});"
                        " const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()" % json.dumps(selector))

    def mouse(self, kind, x, y, button="left", buttons=0):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button if kind != "mouseMoved" or buttons else "none",
                  buttons=buttons, clickCount=1 if kind in ("mousePressed", "mouseReleased") else 0)

    def click(self, selector, at=None):
        before = None
        for _ in range(100):  # what is still drawn above it may move it
            place = self.place(selector)
            if place == before:
                break
            before = place
            time.sleep(0.03)
        x, y, w, h = place
        x, y = (x + w / 2, y + h / 2) if at is None else (x + at[0], y + at[1])
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, buttons=1)
        self.mouse("mouseReleased", x, y)

    def drag(self, selector, begin, end):
        x, y, _, _ = self.place(selector)
        self.mouse("mouseMoved", x + begin[0], y + begin[1])
        self.mouse("mousePressed", x + begin[0], y + begin[1], buttons=1)
        for k in range(1, 9):
            self.mouse("mouseMoved", x + begin[0] + (end[0] - begin[0]) * k / 8, y + begin[1] + (end[1] - begin[1]) * k / 8, buttons=1)
        self.mouse("mouseReleased", x + end[0], y + end[1])

    def key(self, key, code=None, text=None, ctrl=False):
        more = {"text": text} if text else {"text": "\r"} if key == "Enter" else {}
        if ctrl:
            more["modifiers"] = 2
        number = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39,
                  "Tab": 9, "Backspace": 8, "Home": 36}.get(key, 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, windowsVirtualKeyCode=number, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key, windowsVirtualKeyCode=number)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def tasks(self, action):
        """What each task of the page's main thread took of the processor meanwhile, in ms: by a recorded trace. Time of
        the processor, since a busy machine makes any task long."""
        session, self.session = self.session, None
        self.call("Tracing.start", traceConfig={"includedCategories": ["toplevel", "devtools.timeline"]}, transferMode="ReportEvents")
        self.session = session
        action()
        self.session = None
        self.call("Tracing.end")
        end = time.time() + 60
        while not any(e.get("method") == "Tracing.tracingComplete" for e in self.events) and time.time() < end:
            self.call("Target.getTargets")
            time.sleep(0.05)
        self.session = session
        trace = [x for e in self.events if e.get("method") == "Tracing.dataCollected" for x in e["params"]["value"]]
        self.events = [e for e in self.events if not e.get("method", "").startswith("Tracing.")]
        mains = {(x["pid"], x["tid"]) for x in trace if x.get("name") == "thread_name" and x["args"]["name"] == "CrRendererMain"}
        return sorted((x["tdur"] / 1000 for x in trace if x.get("ph") == "X" and x["name"].endswith("RunTask") and "tdur" in x
                       and (x["pid"], x["tid"]) in mains), reverse=True)

    def complaints(self):
        """What the page threw or logged as an error, but for the end of a program that it asked."""
        ended = ("ERR_CONNECTION_RE", "ERR_SOCKET_NOT_CONNECTED", "ERR_EMPTY_RESPONSE")
        out = []
        for e in self.events:
            if e.get("method") == "Runtime.exceptionThrown":
                d = e["params"]["exceptionDetails"]
                out.append(d.get("exception", {}).get("description") or d.get("text"))
            elif e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] == "error":
                out.append(e["params"]["entry"]["text"] + " " + e["params"]["entry"].get("url", ""))
        return [c for c in out if not any(word in c for word in ended)]

    def close(self):
        self.process.kill()
        self.process.wait()
        subprocess.run(["rm", "-rf", self.folder], check=False)
