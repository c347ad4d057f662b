// SPDX-License-Identifier: MIT
// The verdict of a policy: what broke it in a sentence, then a row for each rule, failed ones first, and beneath it
// what broke it or cannot be decided.
import {card} from "./cards.js";
import {Table} from "./table.js";
import {named, place} from "./parts.js";
import {make, button} from "./dom.js";
import {some, count, format} from "./format.js";

// Of each verdict its colour and its sign, the worst first.
const MARKS = {fail: ["up", "✕"], inconclusive: ["warn", "?"], waived: ["warn", "!"], skipped: ["", "–"], improved: ["ok", "✓"], pass: ["ok", "✓"]}, ORDER = Object.keys(MARKS);

export const badge = (word, text) => make("span", {class: "tag " + MARKS[word][0]}, MARKS[word][1] + " " + (text || translated(word)));

// Whole numbers with marks between their thousands, as the page's other numbers have them.
const thousands = text => text && text.replace(/(?<![\w.:/#-])\d{4,}(?![\w:/-]|\.\d)/g, d => count(+d));

// The difference column of a table of changes that a rule is about: the one whose numbers read as the rule's do. Null: none does.
export function metricOf(t, rule) {
	const plain = (c, v) => c.type === "count" ? String(v) : format(c.type, v).replaceAll(",", ""), about = b => /^(.*) -> (.*?) \(/.exec(b.measured || "");
	for (const b of [rule, ...rule.breaches]) {
		const sides = about(b), rows = b.file ? t.rows.filter(r => r.file === b.file && r.line === b.line) : [(t.totals || []).at(-1)];
		const c = sides && t.columns.find(c => c.key.startsWith("delta_") && rows.some(r => r && ["base", "new"].every((side, k) => plain(c, r[side + c.key.slice(5)]) === sides[k + 1])));
		if (c) return c;
	}
	return null;
}

// Of a difference column, the row that changed most towards more, or towards less.
export const mostOf = (t, c, less) => t.rows.reduce((a, r) => (less ? -1 : 1) * (r[c.key] || 0) > (less ? -1 : 1) * (a ? a[c.key] : 0) ? r : a, null);

// As --sort of the programs names the metric of a column.
export const sortOf = c => ({self_ns: "self-time", total_ns: "total-time", mean_ns: "mean-time", lifetime_ns: "lifetime"})[c.key.replace(/^delta_/, "")] || c.key.replace(/^delta_/, "").replaceAll("_", "-");

function table(checks) {
	const columns = [["name", "rule, and what it is about"], ["verdict", "verdict"], ["measured", "base, new"], ["limit", "limit"], ["told", "smallest difference"], ["message", "why"]];
	const rules = checks.rules.slice().sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
	// What a rule says of itself alone is not said twice.
	const below = r => r.breaches.length === 1 && r.breaches[0].measured === r.measured && !r.breaches[0].told && r.breaches[0].subject === "(total)" ? [] : r.breaches;
	const rows = rules.flatMap(r => [{...r, name: r.rule, waiver: r.waiver || (below(r).length ? null : (r.breaches[0] || {}).waiver), _depth: 0}, ...below(r).map(b => ({...b, name: b.subject, _depth: 1}))]).map(r => ({...r, measured: [thousands(r.measured), r.waiver && translated("waived") + ": " + r.waiver].filter(Boolean).join("; ")}));
	return {title: checks.title || "", tree: true, rows, columns: columns.map(([key, title]) => ({key, title, type: "text"})), notes: []};
}

const copied = (text, label) => { const b = button(say("copy"), async () => { await navigator.clipboard.writeText(text).catch(() => {}); b.textContent = say("copied"); }, {"aria-label": label}); return b; };

// "log_event game.cpp:52 allocates 1.6 MiB a run, was 399.9 KiB (limit +5 %). +1.2 MiB, +300.07 %; called by tick."
// most: what grew most, where the rule is of a sum: {most: more than half of it, name, file, line, delta, metric, caller}.
function sentence(rule, most) {
	const b = rule.breaches.find(x => x.verdict === rule.verdict) || rule.breaches[0];
	if (!b || !b.fact) return null;
	const text = detailed(b.fact, true), at = text.indexOf(b.subject), name = b.file ? b.subject.replace(/ \([^()]*:\d+\)$/, "") : b.subject, by = /\((.*)\)$/.exec(b.measured || "");
	const what = at < 0 ? [thousands(text)] : [thousands(text.slice(0, at)), make("b", {class: "file", title: b.subject}, named(name)), b.file ? make("code", {}, " " + place(b.file, b.line)) : "", thousands(text.slice(at + b.subject.length))];
	const caller = b.callers ? [" ", say("Called by {0}.", named(b.callers.split(" < ")[0]))] : [];
	const worst = most ? [" ", most.most ? say("Most of it:") : say("The largest part:"), " ", make("b", {class: "file", title: most.name}, named(most.name)), most.file ? make("code", {}, " " + place(most.file, most.line)) : "", " ",
		make("span", {class: "up"}, most.delta), say(" ({0})", most.metric) + (most.caller ? say(", called by {0}", named(most.caller)) : "") + say("sentence|.")] : [];
	return make("p", {class: "sentence"}, badge(rule.verdict, rule.rule), " ", ...what, " ", by ? make("span", {class: rule.verdict === "fail" ? "up" : ""}, thousands(by[1]) + say("sentence|.")) : "", ...caller, ...worst);
}

// most(rule): see sentence(); it may be nothing.
export function verdict(checks, most = () => null, ...below) {
	const c = checks.counts, all = checks.rules.length, broken = checks.rules.filter(r => r.verdict === "fail" || r.verdict === "inconclusive").sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
	const state = c.fail ? badge("fail", say("failed")) : c.inconclusive ? badge("inconclusive", say("cannot tell")) : badge("pass", say("passed"));
	const others = ORDER.filter(w => c[w]).map(w => c[w] + " " + translated(w)).join(say(", "));
	const first = broken[0] && broken[0].breaches.find(b => b.look || b.accept), row = (word, e) => make("div", {class: "doing"}, make("span", {}, word), ...e);
	const doing = first ? [first.look ? row(say("Look"), [make("code", {}, first.look), copied(first.look, say("copy the command"))]) : null,
		first.accept ? make("details", {class: "doing"}, make("summary", {}, say("Accept: lines for the policy")), make("pre", {}, first.accept), copied(first.accept, say("copy the lines"))) : null] : [];
	return card(say("Gate"), make("span", {class: "row grows"}, state, make("span", {class: "faint"}, say("{0}: {1}", some(all, "{0} rule", "{0} rules"), others) + (checks.policy ? " · " + checks.policy : ""))),
		make("div", {class: "in"}, ...broken.slice(0, 3).map(r => sentence(r, most(r))), broken.length > 3 ? make("p", {class: "faint"}, say("and {0} more rules, below", count(broken.length - 3))) : null, ...doing,
			new Table(table(checks), {cell: (k, r) => k.key === "verdict" && MARKS[r.verdict] ? badge(r.verdict) : null}).element, ...below));
}
