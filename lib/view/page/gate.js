// SPDX-License-Identifier: MIT
// The verdict of a policy: a row for each rule, and beneath it what broke it or cannot be decided.
import {panel} from "./parts.js";
import {Table} from "./table.js";

function table(checks) {
	const columns = [["name", "rule, and what it is about"], ["verdict", "verdict"], ["measured", "base, new"], ["limit", "limit"], ["told", "smallest difference"], ["message", "why"], ["waiver", "waived"]];
	const rows = checks.rules.flatMap(r => [{...r, name: r.rule, _depth: 0}, ...r.breaches.map(b => ({...b, name: b.subject, _depth: 1}))]);
	return {title: checks.title, tree: true, rows, columns: columns.map(([key, title]) => ({key, title, type: "text"})), notes: []};
}

export function verdict(checks, ...below) {
	const counts = Object.entries(checks.counts).filter(x => x[1]).map(x => x[1] + " " + translated(x[0])).join(say(", "));
	return panel(checks.title ? translated(checks.title) : say("Gate"), counts, new Table(table(checks)).element, ...below);
}
