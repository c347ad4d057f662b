// SPDX-License-Identifier: MIT
// What the views have in common and a mailed page does not need.
import {make, onceAFrame} from "./dom.js";
import {style} from "./format.js";

Object.assign(style, {absent: "–", micro: "µs", grouped: true});

export function panel(title, small, ...inside) {
	return make("section", {class: "panel"}, title ? make("h2", {}, title, small ? make("small", {}, small) : "") : null, ...inside);
}

// What can be switched on the page as a whole; it stays so for the next time.
export const switches = {get short() { return localStorage.getItem("names") !== "long"; }, set short(on) { localStorage.setItem("names", on ? "short" : "long"); }};

// The end of what a bracket at `at` opens.
function closing(s, at) {
	const open = s[at], close = {"<": ">", "(": ")"}[open];
	for (let depth = 0, i = at; i < s.length; i++) {
		if (s[i] === open) depth++;
		else if (s[i] === close && s[i - 1] !== "-" && --depth === 0) return i;
	}
	return -1;
}

// Where the parameters of a function begin: the first bracket outside of template arguments. -1: none.
function parameters(s) {
	const operator = s.indexOf("operator"), from = operator < 0 ? 0 : s.startsWith("operator()", operator) ? operator + 10 : operator + 8;
	for (let depth = 0, i = operator < 0 ? 0 : from; i < s.length; i++) {
		if (s[i] === "(" && depth === 0) return i;
		if (operator >= 0 && i < from + 3) continue; // operator<<
		if (s[i] === "<") depth++;
		else if (s[i] === ">" && s[i - 1] !== "-") depth--;
	}
	return -1;
}

// Template arguments that C++'s library has by default.
const DEFAULTS = /, ?std::(?:__1::)?(?:allocator|char_traits|less|hash|equal_to|default_delete|random_access_iterator_tag)</;
const STRING = /std::(?:__cxx11::|__1::)?basic_string<char(?:, ?std::(?:__1::)?char_traits<char>)?>/g;

// A name without what the library has by default, and the same with its parameters.
function brief(name) {
	if (!/[<(:]/.test(name)) return [name, name];
	let s = name, m;
	while ((m = DEFAULTS.exec(s))) {
		const end = closing(s, m.index + m[0].length - 1);
		if (end < 0) break;
		s = s.slice(0, m.index) + s.slice(end + 1).replace(/^ (?=>)/, "");
	}
	s = s.replace(STRING, "string").replace(/\(anonymous namespace\)::|std::(?:__cxx11::|__1::)?|::h[0-9a-f]{16}$/g, "").replace(/ >/g, ">");
	// Parameters; what stands before the name is the result of a template.
	const at = parameters(s), end = at > 0 ? closing(s, at) : -1;
	let more = s;
	if (end > 0 && /^( const)?(&{0,2})( \[.*\]| \(.*\))?$/.test(s.slice(end + 1))) {
		const rest = s.slice(end + 1).replace(/^( const)?&{0,2}/, ""), all = s.slice(at);
		s = s.slice(0, at);
		let depth = 0;
		for (let i = s.length - 1; i > 0 && !s.includes("operator"); i--) {
			if (s[i] === ">" && s[i - 1] !== "-") depth++;
			else if (s[i] === "<") depth--;
			else if (s[i] === " " && depth === 0) { s = s.slice(i + 1); break; }
		}
		more = s + all;
		s += rest;
	}
	return [s || name, more || name];
}

// As a name is shown: vector<char> for all that C++ says of it, where short names are on. What two names would share says
// none of them: both have their parameters then, or all that they have. clashes: how often that was found, which what
// is drawn by then does not know.
const briefs = new Map(), owners = new Map();
export let clashes = 0;
export function named(name) {
	if (!name || !switches.short) return name;
	let forms = briefs.get(name);
	if (!forms) {
		if (briefs.size > 50000) { briefs.clear(); owners.clear(); }
		briefs.set(name, forms = brief(name));
		for (const f of new Set(forms)) {
			if (owners.get(f)) clashes++;
			owners.set(f, owners.has(f) ? null : name);
		}
	}
	return forms.find(f => owners.get(f) === name) ?? name;
}

// A text that loses its middle where it has no room: the end stays.
export function middle(text, more = {}) {
	const end = Math.min(14, Math.floor(text.length / 2));
	return make("span", {class: "mid file", title: text, ...more}, make("span", {}, text.slice(0, text.length - end)), make("span", {}, text.slice(text.length - end)));
}

// Where the parts of a name begin, behind each "::" that is in no bracket.
function scopes(name) {
	const out = [];
	for (let i = 0, depth = 0; i < name.length; i++) {
		if ("<({[".includes(name[i])) depth++;
		else if (">)}]".includes(name[i]) && name[i - 1] !== "-") depth--;
		else if (depth === 0 && name.startsWith("::", i)) out.push(++i + 1);
	}
	return out;
}

// A name without the scopes that it has in common with the one before it.
export function near(name, before) {
	const a = scopes(name), b = scopes(before);
	let cut = 0;
	for (let i = 0; i < a.length && a[i] === b[i] && name.slice(0, a[i]) === before.slice(0, b[i]); i++) cut = a[i];
	return name.slice(cut);
}

// Texts that are cut to their room: cut(width, measure) writes one. All rooms come from the browser at once, and texts are
// measured beside the page, so that it is laid out once for all of them.
const cuts = new WeakMap(), rooms = new Map(), scale = document.createElement("canvas").getContext("2d");
const cutAll = onceAFrame(() => {
	// The shorthand "font" is empty where digits have a variant.
	const fontOf = s => [s.fontStyle, s.fontWeight, s.fontSize, s.fontFamily].join(" "), all = [...rooms].filter(([e]) => e.isConnected).map(([e, width]) => [e, width, fontOf(getComputedStyle(e))]);
	rooms.clear();
	for (const [e, width, font] of all) cuts.get(e).call(e, width, text => { scale.font = font; return scale.measureText(text).width; });
});
const room = new ResizeObserver(entries => {
	for (const x of entries) rooms.set(x.target, x.contentRect.width);
	cutAll();
});
function cuttable(e, cut) {
	cuts.set(e, cut);
	room.observe(e);
	return e;
}

// Calls, the nearest first, of the function `of`: all with the scopes that tell them from the one before, where there is
// room; else as many as there is room for without scopes, each whole.
const GAP = 4;
export function chain(names, of = "") {
	const text = names.map(n => "← " + n).join(" "), last = n => n.slice(scopes(n).pop() || 0);
	const calls = names.map(n => make("span", {}, "← " + n)), more = make("span", {}, "…"), e = make("span", {class: "chain", title: text}, ...calls, more);
	if (!names.length) return make("span", {class: "chain"});
	return cuttable(e, (width, measure) => {
		const show = n => { calls.forEach((c, i) => { c.hidden = i >= n; }); more.hidden = n === calls.length; };
		const clipped = !width || ![[(n, i) => near(n, i ? names[i - 1] : of), names.length], [last, 1]].some(([f, least]) => {
			const texts = names.map((n, i) => "← " + f(n, i)), wide = texts.map(measure);
			for (let n = calls.length; n >= least && n > 0; n--) {
				if (wide.slice(0, n).reduce((a, b) => a + b + GAP, n < calls.length ? measure("…") : -GAP) > width) continue;
				calls.forEach((c, i) => { c.textContent = texts[i]; });
				show(n);
				return true;
			}
			return false;
		});
		e.classList.toggle("clipped", clipped);
		if (!clipped) return;
		calls[0].textContent = "← " + last(names[0]);
		show(1);
		more.hidden = true;
	});
}

// The end of a name is what tells it from others: shorter and shorter forms of it, with one mark where it was cut.
export function* ends(name) {
	yield name;
	for (const i of scopes(name)) yield "…" + name.slice(i);
}

// A name that loses its scopes where it has no room, then the beginning of its last part.
export function tail(name) {
	return cuttable(make("span", {class: "tail file", title: name}, name), function (width, measure) {
		const fits = text => measure(text) <= width, from = (scopes(name).pop() || 0) + 1, short = [...ends(name)].find(fits);
		let a = from, b = name.length; // the longest end that fits
		while (short === undefined && a < b) { const m = (a + b) >> 1; if (fits("…" + name.slice(m))) b = m; else a = m + 1; }
		this.textContent = short ?? "…" + name.slice(a);
	});
}

// The longest form of a name that fits; as much of its last part as fits, where none does.
export function fitName(g, name, width, letter) {
	let last = name;
	for (last of ends(name)) if (letter && /^[\x20-\x7e…]*$/.test(last) ? last.length * letter <= width : g.measureText(last).width <= width) return last;
	return fit(g, last.replace(/^…/, ""), width, letter);
}

export const place = (file, line) => file ? file.split(/[\\/]/).pop() + (line ? ":" + line : "") : "";

// A switch: on or off.
export function toggle(text, on, flip) {
	return make("button", {type: "button", class: "switch", role: "switch", "aria-checked": on, onclick: () => flip(!on)}, make("i"), text);
}

// Whether library code is merged into its callers: words of a question, and the switch.
export function libraryOf({state: s, go}) {
	return {words: s.lib === "1" ? [] : ["--hide-library"], toggle: toggle(say("hide library code"), s.lib !== "1", on => go({lib: on ? null : "1"}))};
}

// One of a few, side by side.
export function segments(label, items, now, choose) {
	return make("span", {class: "seg", role: "group", "aria-label": label}, ...items.map(([word, text]) => make("button", {type: "button", "aria-pressed": word === now, onclick: () => choose(word)}, text)));
}

// As much of a text as fits, with a mark where it was cut. letter: the width of each, in a font where those of ASCII
// have one width; without it all texts are measured.
export function fit(g, text, width, letter) {
	if (letter && /^[\x20-\x7e]*$/.test(text)) {
		const n = Math.floor(width / letter);
		return text.length > n ? text.slice(0, Math.max(0, n - 1)) + "…" : text;
	}
	if (g.measureText(text).width <= width) return text;
	const letters = [...text].slice(0, Math.max(0, Math.floor(width / 3)));
	while (letters.length && g.measureText(letters.join("") + "…").width > width) letters.pop();
	return letters.join("") + "…";
}

// So that a name is an expression of that name alone.
export const literally = s => "^\\Q" + s.replaceAll("\\E", "\\E\\\\E\\Q") + "\\E$";

// A value of two decimals with one; a part that is not 0 and not the whole does not look so.
export function tenths(text) {
	const m = /^(~?)(\d+\.\d\d)(?=\D)/.exec(text);
	if (!m) return text;
	const short = (+m[2]).toFixed(1), rest = text.slice(m[0].length);
	return m[1] + (rest !== "%" ? short + rest : short === "0.0" && +m[2] ? "<0.1%" : short === "100.0" && +m[2] < 100 ? ">99.9%" : short + rest);
}

// A metric in the page's words; a terminal's stands on hover.
export const plainly = text => text && text.replace(/\blive real\b/, "still live").replace(/\bpeak real\b/, "peak").replace(/\bfreed real\b/, "freed").replace(/\breal\b/, "allocated").replace(/\bentries\b/, "records");

// As a word of a command in a terminal.
export function quote(word) {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}
