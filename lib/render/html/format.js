// SPDX-License-Identifier: MIT
// Values as people read them: as lib/table's size_text, time_text and cell_for_people write them.

// What the two pages do not have in common: the mark of an absent value, the unit of 1,000 ns, whether counts have commas.
export const style = {absent: "", micro: "us", grouped: false};

// A name as it is read exactly: what draws nothing or turns text around is escaped (tracemill-report(5)).
// \n and \t are the page's own, between lines.
const hidden = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu;
export const shown = text => text.replace(hidden, c => {
	const n = c.codePointAt(0), hex = n.toString(16);
	return n < 0x80 ? "\\x" + hex.padStart(2, "0") : n < 0xa0 ? "\\xc2\\x" + hex : "\\u{" + hex.padStart(4, "0") + "}";
});

// A value that would be 0 with so many decimals has all that it has.
const short = (v, decimals) => +v.toFixed(decimals) || v;

function bytes(v) {
	if (v < 1000) return short(v, 1) + " B";
	v = Math.round(v);
	if (v < 1024) return v + " B";
	let i = -1;
	do { v /= 1024; i++; } while (v >= 1023.95 && i < 5);
	return v.toFixed(1) + " " + "KMGTPE"[i] + "iB";
}

function ns(v) {
	if (v < 1000) return short(v, 2) + " ns";
	for (let i = 0, unit = 1000; ; i++, unit *= 1000) {
		const hundredths = Math.floor(v / unit) * 100 + Math.floor((v % unit * 100 + unit / 2) / unit);
		if (hundredths < 100000 || i === 2) return (hundredths / 100).toFixed(2) + " " + [style.micro, "ms", "s"][i];
	}
}

// A part that is not 0 and not the whole does not look so.
function percent(v, sign) {
	const text = v.toFixed(2), side = v && text === "0.00" || v < 100 && text === "100.00";
	return (side ? sign === "-" ? ">" : "<" : "") + sign + (side && v < 1 ? "0.01" : text) + "%";
}

const grouped = (v, most) => v.toLocaleString("en-US", {maximumFractionDigits: most});

// The type of a column's values where they stand without its head: "~bytes" of what is estimated, whose heads have " ~".
export const typeOf = (c, title = c.title) => (/ ~(?= |$)/.test(title || "") ? "~" : "") + c.type;

// decimals: of a type "number" or "decimal", as a mailed page has them; without them a number has up to six.
export function format(type, v, decimals, signed) {
	if (v === null || v === undefined) return style.absent;
	if (typeof v === "string") return shown(v);
	if (type[0] === "~") return "~" + format(type.slice(1), v, decimals, signed);
	const sign = v < 0 ? "-" : signed && v > 0 ? "+" : "", size = Math.abs(v);
	switch (type) {
	case "bytes": return sign + bytes(size);
	case "ns": return sign + ns(size);
	case "percent": return percent(size, sign);
	case "number": return sign + (decimals === undefined ? grouped(size, 6) : size.toFixed(decimals));
	case "decimal": return sign + short(size, decimals || 6);
	default: return sign + (style.grouped ? grouped(size, 2) : size);
	}
}

const commas = new Intl.NumberFormat("en-US");
export const count = n => commas.format(n);

// A text for one thing, or for n.
export const some = (n, one, many) => say(n === 1 ? one : many, count(n));

export function exact(type, v) {
	if (v === null || v === undefined) return say("not in the capture");
	if (typeof v === "string") return shown(v);
	if (type[0] === "~") return "~" + exact(type.slice(1), v);
	return grouped(v, 18) + ({bytes: say(" bytes"), ns: " ns", percent: "%"}[type] || "");
}

export const share = (part, all) => all ? percent(Math.abs(100 * part / all), part / all < 0 ? "-" : "") : "";

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

// How many letters wide a text is: those of Chinese, Japanese and Korean take two.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
export const cells = text => [...text].reduce((n, c) => n + (c >= "\u1100" && WIDE.test(c) ? 2 : 1), 0);
