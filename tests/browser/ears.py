"""A player who is told names, words and announcements, and nothing else."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Page, expect

from tests.browser.people import Person
from tests.receivers import until

PATIENCE = 60
"""Seconds to wait for words."""

LISTENS = """
window.said = [];
const REGION = "[aria-live=polite], [role=status], [role=alert]";
const elementOf = (node) => node.nodeType === 1 ? node : node.parentElement;
new MutationObserver((records) => {
    const heard = new Set();
    for (const { target, addedNodes } of records) {
        const region = elementOf(target)?.closest(REGION);
        for (const added of addedNodes) {
            if (region ?? added.matches?.("[role=alert]")) heard.add(added);
        }
    }
    const dialog = document.querySelector("dialog:modal"); // what lies behind it is not heard
    for (const one of heard) {
        if (dialog && !dialog.contains(one)) continue;
        const words = elementOf(one)?.checkVisibility() && one.textContent.replace(/\\s+/g, " ").trim();
        if (words) window.said.push(words);
    }
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
"""Notes what a screen reader says by itself: what is added to a region, and alerts that appear."""

STEPS = """() => {
    const steps = {};
    for (const one of document.querySelectorAll("#happened [data-sentence-step]")) {
        const parts = [...one.querySelectorAll(".sentence")];
        const words = (parts.length ? parts : [one]).map((part) => part.textContent.trim());
        (steps[one.dataset.sentenceStep] ??= []).push(...words);
    }
    return Object.values(steps).map((words) => words.join(" "));
}"""
"""The sentences of the turn that the page shows, by step."""


class Ear:
    """A person who is told the accessibility tree of a page, and presses what has a name in it."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.page: Page = person.page

    def listen(self) -> None:
        """From the next page on, keeps what is announced."""
        self.page.add_init_script(LISTENS)
        self.page.reload()

    @property
    def said(self) -> list[str]:
        """The announcements on this page so far, in order."""
        return list(self.page.evaluate("window.said"))

    def snapshot(self) -> str:
        return self.page.locator("body").aria_snapshot()

    def names(self, role: str) -> list[str]:
        """The names of all controls of that role that can be used."""
        found = re.findall(rf'{role} "((?:[^"\\]|\\.)*)"(?! (?:\[\w+\] )*\[disabled)', self.snapshot())
        return [name.replace('\\"', '"').replace("''", "'") for name in found]

    def hears(self, words: str) -> re.Match[str]:
        until = time.monotonic() + PATIENCE
        while not (found := re.search(words, self.snapshot(), re.MULTILINE)):
            assert time.monotonic() < until, f"never told: {words}\n{self.snapshot()}"
            time.sleep(0.1)
        return found

    def press(self, words: str, role: str = "button") -> str:
        """Presses the first control whose name fits; it must be in the tree. Says its name."""
        until = time.monotonic() + PATIENCE
        while not (fit := [name for name in self.names(role) if re.search(words, name)]):
            assert time.monotonic() < until, f"no {role} is called {words}:\n{self.names(role)}"
            time.sleep(0.1)
        self.page.get_by_role(role, name=fit[0], exact=True).first.focus()  # type: ignore[arg-type]
        self.page.keyboard.press("Enter")
        return fit[0]

    def plan(self, words: str) -> str:
        """Presses a control of the planner; what is announced then."""
        told = len(self.said)
        name = self.press(words)
        until = time.monotonic() + PATIENCE
        while len(self.said) == told:
            assert time.monotonic() < until, f"nothing was announced after “{name}”\n{self.snapshot()}"
            time.sleep(0.05)
        return self.said[-1]

    def hears_film(self, title: str) -> list[str]:
        """Hears a turn that is revealed to its last step: each is announced once, in order."""
        self.hears(f"{title}\\b")
        self.page.evaluate("document.cookie = 'speed=4;path=/'")
        self.hears('The current position[:"]')  # in the words, or in the board's name while those are folded
        steps, turn = self.page.evaluate(STEPS), title.partition(" in ")[2].capitalize()
        leads = re.compile(rf"{turn}( of \d+)?: ")
        begins = [at for at, said in enumerate(self.said) if leads.match(said)]
        told = self.said[begins[-1] :][: len(steps)]
        assert [leads.sub("", told[0]), *told[1:]] == steps, (self.said, steps)
        assert sum(said.startswith(f"{turn}: ") for said in self.said) < 2, self.said
        return told

    def come_to_turn(self) -> None:
        self.press("^Go to your turn$", "link")

    def unfold(self, words: str) -> None:
        """Opens what is folded together under these words."""
        summary = self.page.get_by_text(words, exact=True)
        if re.search(rf"^ *- group: {words}$", self.snapshot(), re.MULTILINE):
            summary.focus()
            self.page.keyboard.press("Enter")

    def board(self) -> list[str]:
        """The present position, sentence by sentence; it must be said to be the present one."""
        self.unfold("Board in words")
        self.hears("The current position:")
        _, _, after = self.snapshot().partition("The current position:")
        sentences: list[str] = []
        for line in after.splitlines()[1:]:
            if not (item := re.match(r"^ *- (?:listitem: |list:)(.*)$", line)):
                break
            sentences += [item[1].strip("\"'")] if item[1] else []
        return sentences


Steps = list[tuple[str, str]]
"""Keys, and what is said after the last of them; what waits for a second key is not answered."""

REACHED = r"(Slot 1: free\. Fill it next\.|[a-i]\d: .+|engine .+|laser .+)"
"""The name of the first thing that can be done."""


def fits(words: str, said: str) -> bool:
    return said == words or re.fullmatch(words, said) is not None


def tab_to_turn(ear: Ear) -> None:
    """The second stop of a page leads to what can be done first."""
    for key in ("Tab", "Tab"):
        ear.page.keyboard.press(key)
    expect(ear.page.locator(":focus")).to_have_accessible_name("Go to your turn")
    ear.page.keyboard.press("Enter")
    expect(ear.page.locator(":focus")).to_have_accessible_name(re.compile(REACHED))


def presses(ear: Ear, steps: Steps) -> None:
    """Presses the keys; each is answered by these words alone before the next one is pressed."""
    for keys, words in steps:
        signs = [keys] if "+" in keys else list(keys)
        for sign in signs:
            told = len(ear.said)
            ear.page.keyboard.press(sign)
            is_half = re.fullmatch(r"[a-h]\d", keys) and sign == signs[0]
            if not is_half:
                until(lambda told=told: len(ear.said) > told)  # type: ignore[misc]
        assert fits(words, ear.said[-1]), (keys, words, ear.said)
