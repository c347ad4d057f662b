// SPDX-License-Identifier: MIT
// What the keys do, in a dialog.
import {make, button} from "./dom.js";

// tabs: how many the page has.
const rows = tabs => [
	[say("everywhere"), [[tabs > 1 ? "1 … " + tabs : "1", say("views")], ["/", say("search")], ["?", say("these keys")], ["Alt ←", say("undoes zoom, selection, transform")]]],
	[say("key|Timeline"), [["W S", say("zoom in and out at the cursor")], ["A D, ← →", say("move")], [say("wheel"), say("zoom at the pointer; Shift moves")], [say("drag"), say("select a range for every view")],
		["F", say("fit the selection")], ["Esc", say("clear the selection")], ["N, Shift N", say("next and previous frame over budget")]]],
	[say("Graphs"), [["↑ ↓ ← →", say("from call to call")], ["Enter", say("zoom in; in the search: next hit")], ["Backspace", say("zoom out")], [say("right click, Shift F10"), say("menu: focus, drop, merge, collapse, who calls it")]]],
	[say("Tables"), [["↑ ↓ PgUp PgDn", say("rows")], ["← →", say("fold and unfold")], [say("double click"), say("open the row in Calls")]]],
];

export function showKeys(dialog, tabs) {
	dialog.replaceChildren(make("h2", {}, say("Keys")), make("div", {class: "keys"}, ...rows(tabs).map(([title, list]) => make("section", {}, make("h3", {}, title), make("dl", {}, ...list.flatMap(([k, text]) => [make("dt", {}, make("kbd", {class: "file"}, k)), make("dd", {}, text)]))))),
		button(say("close"), () => dialog.close()));
	if (!dialog.open) dialog.showModal();
}
