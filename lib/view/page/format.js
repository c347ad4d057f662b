// SPDX-License-Identifier: MIT
// Values as people read them. Absent is a dash, never a 0.

// A name as it is read exactly: what draws nothing or turns text around is escaped (tracemill-report(5)).
// \n and \t are the page's own, between lines.
const hidden = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu;
export const shown = text => text.replace(hidden, c => {
	const n = c.codePointAt(0), hex = n.toString(16);
	return n < 0x80 ? "\\x" + hex.padStart(2, "0") : n < 0xa0 ? "\\xc2\\x" + hex : "\\u{" + hex.padStart(4, "0") + "}";
});

const units = ["B", "KiB", "MiB", "GiB", "TiB"];
const times = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function bytes(v) {
	let n = Math.abs(v), k = 0;
	while (n >= 1024 && k < units.length - 1) { n /= 1024; k++; }
	return (v < 0 ? "-" : "") + (k ? n.toFixed(1) : Math.round(n)) + " " + units[k];
}

function ns(v) {
	const n = Math.abs(v), [u, word] = times.find(([u]) => n >= u) || times[3];
	return (v < 0 ? "-" : "") + (u === 1 ? Math.round(n) : (n / u).toFixed(2)) + " " + word;
}

// What is not 0 and not the whole does not look so.
function percent(v, plus) {
	const n = Math.abs(v), text = n.toFixed(2), sign = v < 0 ? "-" : plus;
	const side = n && text === "0.00" || n < 100 && text === "100.00";
	return (side ? v < 0 ? ">" : "<" : "") + sign + (side && n < 1 ? "0.01" : text) + "%";
}

export function format(type, v, signed) {
	if (v === null || v === undefined) return "–";
	if (typeof v === "string") return shown(v);
	const plus = signed && v > 0 ? "+" : "";
	switch (type) {
	case "bytes": return plus + bytes(v);
	case "ns": return plus + ns(v);
	case "percent": return percent(v, plus);
	default: return plus + v.toLocaleString("en-US", {maximumFractionDigits: type === "number" ? 6 : 2});
	}
}

export function exact(type, v) {
	if (v === null || v === undefined) return say("not in the capture");
	if (typeof v === "string") return shown(v);
	return v.toLocaleString("en-US", {maximumFractionDigits: 18}) + ({bytes: say(" bytes"), ns: " ns", percent: "%"}[type] || "");
}

export const share = (part, all) => all ? percent(100 * part / all, "") : "";

// A text that is no expression is looked for as it is.
export function matcher(text) {
	try {
		const r = new RegExp(text, "i");
		return s => r.test(s);
	} catch {
		const low = text.toLowerCase();
		return s => s.toLowerCase().includes(low);
	}
}

// So that a name is an expression of that name alone.
export const literally = s => "^\\Q" + s.replaceAll("\\E", "\\E\\\\E\\Q") + "\\E$";

// How many letters wide a text is: those of Chinese, Japanese and Korean take two.
export const cells = text => [...text].reduce((n, c) => n + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(c) ? 2 : 1), 0);

export function quote(word) {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}
