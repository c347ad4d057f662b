// SPDX-License-Identifier: MIT
// What a person has done to a view that is drawn again, because a recording went on: where it is scrolled to, what is
// searched, picked, closed and zoomed. Each part says and takes its own: keeps() of dom.js.
const parts = root => [...root.querySelectorAll("[data-keeps]")];
const stops = root => [...root.querySelectorAll("input, select, button, canvas, [tabindex]")];
const what = e => e.tagName + " " + (e.getAttribute("aria-label") || e.textContent.slice(0, 80));

export function remember(root) {
	const at = document.activeElement, k = stops(root).indexOf(at);
	return {
		scroll: root.scrollTop, parts: parts(root).map(e => e.keeper.keep()),
		focus: k < 0 ? null : {k, what: what(at), from: at.selectionStart, to: at.selectionEnd, text: at.tagName === "INPUT" ? at.value : null},
	};
}

export async function restore(root, was) {
	const now = parts(root), f = was.focus;
	if (now.length === was.parts.length) await Promise.all(now.map((e, i) => e.keeper.take(was.parts[i])));
	root.scrollTop = was.scroll;
	const to = f && stops(root)[f.k];
	if (!to || what(to) !== f.what) return;
	to.focus({preventScroll: true});
	if (f.text === null) return;
	to.value = f.text; // what is typed and was not asked yet
	if (f.from !== null) to.setSelectionRange(f.from, f.to);
}
