// SPDX-License-Identifier: MIT
// What the page's parts share. Text from input is only ever set as textContent or as an attribute's value.
"use strict";
speak(document.documentElement.dataset.language);
translate(document.body);
languageButton(document.getElementById("language"));
const tip = document.createElement("div");
tip.className = "tip";
document.body.append(tip);

function make(tag, className, text) {
	const e = document.createElement(tag);
	if (className) e.className = className;
	if (text !== undefined) e.textContent = text;
	return e;
}

// As lib/table's size_text, time_text and cell_for_people do it, which round halves up.
function format(type, v, decimals) {
	const sign = v < 0 ? "-" : "";
	v = Math.abs(v);
	if (type === "bytes") {
		if (v < 1000) return sign + short(v, 1) + " B";
		v = Math.round(v);
		if (v < 1024) return sign + v + " B";
		let i = -1;
		do { v /= 1024; i++; } while (v >= 1023.95 && i < 5);
		return sign + v.toFixed(1) + " " + "KMGTPE"[i] + "iB";
	}
	if (type === "ns") {
		if (v < 1000) return sign + short(v, 2) + " ns";
		for (let i = 0, unit = 1000; ; i++, unit *= 1000) {
			const hundredths = Math.floor(v / unit) * 100 + Math.floor((v % unit * 100 + unit / 2) / unit);
			if (hundredths < 100000 || i === 2) return sign + (hundredths / 100).toFixed(2) + " " + ["us", "ms", "s"][i];
		}
	}
	if (type === "percent") return percent(sign, v / 100);
	if (type === "number") return sign + (v / 10 ** decimals).toFixed(decimals);
	if (type === "decimal") return sign + short(v, decimals || 6);
	return sign + v;
}

// What is too small for so many decimals has all that it has.
function short(v, decimals) {
	return +v.toFixed(decimals) || v;
}

// What is not 0 and not the whole does not look so.
function percent(sign, v) {
	const text = v.toFixed(2), side = v && text === "0.00" || v < 100 && text === "100.00";
	return (side ? sign ? ">" : "<" : "") + sign + (side && v < 1 ? "0.01" : text) + "%";
}

function share(part, whole) {
	return whole ? percent("", 100 * part / whole) : "";
}

// How many letters wide a text is: those of Chinese, Japanese and Korean take two.
function cells(text) {
	return [...text].reduce((n, c) => n + (c >= "\u1100" && /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(c) ? 2 : 1), 0);
}

function showTip(event, head, lines) {
	tip.replaceChildren(make("b", "", head), document.createTextNode("\n" + lines.join("\n")));
	tip.style.display = "block";
	const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
	const y = event.clientY + 18 + tip.offsetHeight > innerHeight
		? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
	tip.style.left = Math.max(4, x) + "px";
	tip.style.top = Math.max(4, y) + "px";
}

function hideTip() {
	tip.style.display = "none";
}

function matcher(text) {
	try {
		const r = new RegExp(text, "i");
		return s => r.test(s);
	} catch (e) {
		const plain = text.toLowerCase();
		return s => s.toLowerCase().includes(plain);
	}
}

// A section's data, or those further ones that are read when they are asked for.
function data(section, k = 0) {
	return JSON.parse(section.querySelectorAll("script[type='application/json']")[k].textContent);
}

function some(n, one, many) {
	return say(n === 1 ? one : many, n.toLocaleString("en-US"));
}

// A function that is picked in one part of the page is shown by the others: parts are {pick(name, from)};
// searches are {section, input}.
const parts = [], searches = [];
function pick(name, from) {
	for (const part of parts) part.pick(name, from);
}

document.getElementById("theme").onclick = () => {
	const root = document.documentElement, now = root.dataset.theme ||
		(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
	root.dataset.theme = now === "dark" ? "light" : "dark";
	dispatchEvent(new Event("resize"));
};

// "/" goes to the search of the part that has the focus, or of the first in view; so does Ctrl+F where not
// all is in the page's text, and a second time it is the browser's.
addEventListener("keydown", event => {
	const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
	const find = event.key === "f" && (event.ctrlKey || event.metaKey);
	if (!slash && !find || event.target.closest("input, select")) return;
	const inView = s => { const r = s.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; };
	const s = searches.find(s => s.section.contains(event.target)) || slash && searches.find(s => inView(s.section));
	if (!s) return;
	event.preventDefault();
	s.input.focus();
	s.input.select();
});
