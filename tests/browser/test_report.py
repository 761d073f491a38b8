"""Reports in a browser: headless Chromium, through Selenium and Chromium's own protocol.

./dev check runs these (packages chromium, chromium-driver and python3-selenium). Pages are made from
the golden records, so that no evaluation is run. With CONE_SCREENSHOTS=FOLDER pictures of every page
at three widths, in the dark and on paper are left there.
"""

import base64
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.path.abspath(os.environ.get("CONE_BINARY", ROOT / "build/release/bin/cone"))
SCREENSHOTS = os.environ.get("CONE_SCREENSHOTS")
HOSTILE = "</template></pre><img src=x onerror=\"document.title='owned'\">'\u202e\" " + "long " * 40
WIDTHS = (1280, 375, 320)


def golden(name):
    return json.loads((ROOT / f"tests/golden/{name}.json").read_text())["record"]


def renamed(value, old, new):
    """The record with a name replaced everywhere."""
    if isinstance(value, dict):
        return {key: renamed(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, old, new) for item in value]
    return new if value == old else value


def luminance(colour):
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class ReportInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        hostile = renamed(golden("messages"), "careful", HOSTILE)
        hostile["diagnostics"]["warnings"].append(HOSTILE)
        study = ROOT / "bench/results/study"
        cls.records = {"messages": golden("messages"), "simulated": golden("simulated"),
                       "split": golden("split"), "hostile": hostile}
        cls.pages = {name: cls.make_page(name, [record]) for name, record in cls.records.items()}
        cls.pages["changed"] = cls.make_page("changed", [golden("messages"), golden("messages")])
        cls.pages["beside"] = cls.make_page("beside", [cls.with_network(golden("simulated")),
                                                       *cls.other_records()])
        cls.pages["study"] = cls.make_page("study", [
            json.loads((study / name).read_text()) for name in ("table2.json", "figure2.json")])
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--no-first-run", "--disable-background-networking"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.addClassCleanup(cls.browser.quit)

    @staticmethod
    def with_network(record):
        """The record with a figure of a ring of nodes."""
        turns = [2 * math.pi * i / 20 for i in range(20)]
        nodes = [{"x": round(500 + 499 * math.cos(t)), "y": round(500 + 499 * math.sin(t)),
                  "group": i % 5} for i, t in enumerate(turns)]
        edges = [[i, (i + 1) % 20] for i in range(20)]
        return {**record, "network_sample": {"coloured_by": "effect", "nodes": nodes, "edges": edges}}

    @classmethod
    def other_records(cls):
        """A sensitivity analysis and a learnt rule."""
        sensitivity, rule = cls.folder / "sensitivity.json", cls.folder / "rule.json"
        for arguments in (
                ["sensitivity", ROOT / "examples/messages", "--policy", "always:sms"],
                ["learn", ROOT / "examples/coupons", "--out", cls.folder / "rule.csv"]):
            subprocess.run([BINARY, *map(str, arguments), "-q", "--json",
                            str(rule if arguments[0] == "learn" else sensitivity)], check=True,
                           stdout=subprocess.DEVNULL)
        return [json.loads(file.read_text()) for file in (sensitivity, rule)]

    @classmethod
    def make_page(cls, name, records):
        files = []
        for i, record in enumerate(records):
            files.append(cls.folder / f"{name}{i}.json")
            files[-1].write_text(json.dumps(record))
        page = cls.folder / f"{name}.html"
        subprocess.run([BINARY, "report", *map(str, files), "--out", str(page), "-q"], check=True)
        return page

    def show(self, name, width=1280, dark=False, media="screen"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get(self.pages[name].as_uri())
        self.run_script("document.querySelectorAll('details').forEach(d => d.open = true)")

    def run_script(self, script):
        return self.browser.execute_script(script)

    def test_nothing_is_requested_and_the_console_is_silent(self):
        for name, page in self.pages.items():
            self.browser.get_log("performance")
            self.browser.get_log("browser")
            self.show(name)
            requested = [json.loads(entry["message"])["message"]
                         for entry in self.browser.get_log("performance")]
            urls = {message["params"]["request"]["url"] for message in requested
                    if message["method"] == "Network.requestWillBeSent"}
            self.assertLessEqual(urls, {page.as_uri(), "data:,"}, name)
            self.assertEqual(self.browser.get_log("browser"), [], name)

    def test_every_chart_is_there_and_has_a_size(self):
        for name in self.pages:
            for width in WIDTHS:
                self.show(name, width)
                boxes = self.run_script(
                    "return [...document.querySelectorAll('svg.chart')].map(s => {"
                    "const b = s.getBoundingClientRect(); return [b.width, b.height, b.left, b.right]})")
                self.assertEqual(len(boxes), self.pages[name].read_text().count('role="img"'))
                self.assertGreaterEqual(len(boxes), 3)
                for box in boxes:
                    self.assertGreater(min(box[0], box[1] * 5), 150, (name, width))
                    self.assertGreaterEqual(box[2], 0)
                    self.assertLessEqual(box[3], width)

    def test_the_page_never_scrolls_sideways(self):
        for name in self.pages:
            for width in WIDTHS:
                self.show(name, width)
                self.assertLessEqual(
                    self.run_script("return document.documentElement.scrollWidth"), width, name)
                beyond = self.run_script(
                    "return [...document.querySelectorAll('svg.chart text')].filter(t => {"
                    "const b = t.getBoundingClientRect();"
                    f"return b.right > {width} || b.left < 0}}).map(t => t.textContent)")
                self.assertEqual(beyond, [], (name, width))

    def test_labels_do_not_overlap(self):
        overlapping = """
            const out = [];
            for (const chart of document.querySelectorAll('svg.chart')) {
              const boxes = [...chart.querySelectorAll('text')].map(
                t => [t.getBoundingClientRect(), t.textContent]);
              for (let i = 0; i < boxes.length; ++i) for (let j = 0; j < i; ++j) {
                const [a, b] = [boxes[i][0], boxes[j][0]];
                const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (wide > 2 && high > 5) out.push(boxes[i][1] + ' on ' + boxes[j][1]);
              }
            }
            return out;"""
        for name in self.pages:
            for width in WIDTHS:
                self.show(name, width)
                self.assertEqual(self.run_script(overlapping), [], (name, width))

    def table(self, label):
        return self.run_script(
            f"return [...document.querySelectorAll('[aria-label=\"{label}\"] tbody tr')].map("
            "r => [...r.cells].map(c => c.textContent.trim()))")

    def test_numbers_on_the_page_are_those_of_the_record(self):
        def number(value):
            return "–" if value is None else f"{value:.4g}"

        def span(ends):
            return "–" if None in ends else f"[{ends[0]:.4g}, {ends[1]:.4g}]"

        for name in ("messages", "simulated"):
            self.show(name)
            record = self.records[name]
            rows = {row[0]: row[1:] for row in self.table("Value of every policy")}
            for policy in record["decision"]["policies"]:
                row = rows[policy["name"]]
                self.assertEqual(row[0], number(policy["value"]))
                if not policy["is_logged"]:
                    self.assertEqual(row[1], span(policy["interval"]))
                self.assertEqual(row[2], span(policy["other_target_interval"]))
                self.assertEqual(row[3], span(policy["sensitivity_interval"]))
            for policy in record["policies"]:
                rows = {row[0].removeprefix("✕ "): row[1:]
                        for row in self.table("Estimates of " + policy["name"])}
                for estimate in policy["estimates"]:
                    # A table has one target, that of the run.
                    is_shown = estimate["target"] == record["config"]["target"]
                    self.assertEqual(rows[estimate["estimator"]][:2], [
                        number(estimate["value"]),
                        span(estimate["interval"]) if is_shown else "–"])

    def test_marks_lie_where_the_numbers_are(self):
        """A gain's dot and the line of zero, against the ticks of the axis."""
        self.show("messages")
        gain = [policy["gain"] for policy in self.records["messages"]["decision"]["policies"]
                if not policy["is_logged"]][0]
        ticks, zero, dot = self.run_script("""
            const chart = [...document.querySelectorAll('svg.chart')].find(
              c => c.querySelector('title').textContent.startsWith('Gain of every'));
            const box = chart.getBoundingClientRect();
            const start = p => +p.getAttribute('d').match(/^M(-?[\\d.]+)/)[1] / 1000;
            const ticks = [...chart.querySelectorAll('.tick text')].slice(0, -1).map(t => {
              const b = t.getBoundingClientRect();
              return [+t.textContent, ((b.left + b.right) / 2 - box.left) / box.width]});
            return [ticks, start(chart.querySelector('.reference')),
                    start(chart.querySelector('.point'))]""")
        (low, low_at), (high, high_at) = ticks[0], ticks[-1]

        def position(value):
            return low_at + (value - low) / (high - low) * (high_at - low_at)

        self.assertAlmostEqual(zero, position(0), delta=0.004)
        self.assertAlmostEqual(dot, position(gain), delta=0.004)

    def test_hostile_names_are_only_text(self):
        self.show("hostile")
        self.assertEqual(self.browser.title, "cone report")
        self.assertEqual(self.run_script(
            "return document.querySelectorAll('img, script, iframe, object').length"), 0)
        self.assertEqual(self.run_script("return document.querySelectorAll('template').length"), 1)
        text = self.run_script("return document.body.innerText")
        self.assertIn('</template></pre><img src=x onerror="document.title=', text)
        self.assertNotIn("\u202e", text)

    def test_the_accessibility_tree_names_every_chart(self):
        for name in self.pages:
            self.show(name)
            nodes = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
            names = [node.get("name", {}).get("value", "") for node in nodes
                     if not node["ignored"] and node["role"]["value"] in ("image", "img")]
            titles = self.run_script("return [...document.querySelectorAll('svg.chart > title')].map("
                                     "t => t.textContent)")
            self.assertEqual(sorted(names), sorted(titles))
            self.assertNotIn("", names)
            spoken = " ".join(node.get("name", {}).get("value", "") for node in nodes
                              if not node["ignored"])
            record = self.run_script("return document.querySelector('template').innerHTML")
            self.assertNotIn(record[:60], spoken)

    def test_text_has_enough_contrast(self):
        colours = ("const at = s => getComputedStyle(document.querySelector(s));"
                   "return [at('body').backgroundColor, at('body').color, at('summary').color,"
                   "at('.soft').color, at('svg.chart .tick, svg.chart .tick text').fill]")
        for dark in (False, True):
            self.show("messages", dark=dark)
            paper, *inks = self.run_script(colours)
            self.assertEqual(luminance(paper) < 0.5, dark)
            for ink in inks:
                self.assertGreaterEqual(contrast(paper, ink), 4.5, (dark, ink))
        self.show("messages", dark=True, media="print")
        self.assertEqual(self.run_script(colours)[0], "rgb(255, 255, 255)")

    def test_the_answer_and_its_warnings_are_on_the_first_screen(self):
        for name in ("messages", "simulated"):
            self.show(name)
            bottom, warnings = self.run_script("""
                const block = document.querySelector('section.answer');
                return [block.querySelector('ul').getBoundingClientRect().bottom,
                        document.querySelectorAll('li.caution').length
                        - block.querySelectorAll('li.caution').length]""")
            self.assertLess(bottom, 900, name)
            self.assertEqual(warnings, 0, name)

    def test_pictures(self):
        if not SCREENSHOTS:
            self.skipTest("CONE_SCREENSHOTS names no folder")
        folder = pathlib.Path(SCREENSHOTS)
        folder.mkdir(parents=True, exist_ok=True)
        looks = {"desk": {}, "phone": {"width": 375}, "dark": {"dark": True},
                 "paper": {"media": "print", "width": 794}}
        for name in self.pages:
            for look, how in looks.items():
                self.show(name, **how)
                picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {
                    "captureBeyondViewport": True, "clip": {
                        "x": 0, "y": 0, "width": how.get("width", 1280), "scale": 1,
                        "height": self.run_script("return document.documentElement.scrollHeight")}})
                (folder / f"{name}_{look}.png").write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    unittest.main()
