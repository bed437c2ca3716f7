/*
 * Zoom, search, keys and tooltips. Reads what the frames' attributes say; writes no markup from
 * text. One listener of each kind for all frames; layout reads first and writes after.
 */
(function () {
"use strict";

const SVG = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
const PAD = 10, LINE = 17, NARROW = 760;
const script = document.currentScript;
const root = (script && script.closest("svg")) || document.documentElement;
const stage = root.querySelector("#frames"), head = root.querySelector("#head");
const fluid = root.dataset.fluid === "1", inverted = root.dataset.inverted === "1";
const wakes = root.dataset.unit === "wakes";
/* counts that are shown by the handoff */
const per = +(root.dataset.per || 0);
const total = +root.dataset.total, totalBefore = +(root.dataset.base || 0);
const rows = +root.dataset.rows, rowHeight = 18;

/* Frames, parents before children. */
const frames = [];
(function read() {
	const open = [];
	stage.querySelectorAll("g.f").forEach(function (el, i) {
		const title = el.querySelector("title"), lines = title.textContent.split("\n");
		const rect = el.querySelector("rect"), row = rect.getAttribute("y") / rowHeight;
		const f = { i: i, el: el, rect: rect, text: el.querySelector("text"),
			name: lines[0], about: lines[1], change: lines[3] || "",
			x: +el.dataset.x, v: +el.dataset.v, w: +(el.dataset.w || el.dataset.v),
			delta: el.dataset.d || "", tail: el.dataset.j !== undefined,
			gone: el.classList.contains("gone"), hit: false, shown: true,
			depth: inverted ? row : rows - 1 - row, parent: -1, end: i };
		open.length = f.depth;
		if (f.depth)
			f.parent = open[f.depth - 1].i;
		open.push(f);
		open.forEach(function (o) { o.end = i; });
		title.remove();
		frames.push(f);
	});
})();

let zoom = 0, hits = [], now = -1, focused = 0, charWidth = 7.25, width = 0;
let query = "", asRegexp = true, strip = 34, typing = 0;

function make(ns, name, attrs, parent) {
	const el = document.createElementNS(ns, name);
	Object.keys(attrs).forEach(function (k) { el.setAttribute(k, attrs[k]); });
	if (parent)
		parent.appendChild(el);
	return el;
}

/* Figures. */

function grouped(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function figure(v) {
	const units = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
	if (wakes)
		return grouped(v) + " wakes";
	if (per)
		return (v / per).toFixed(1) + " " + root.dataset.unit;
	let u = 0;
	while (u < 3 && v / units[u][1] >= 999.5)
		u++;
	if (!u)
		return Math.round(v) + " ns";
	const n = v / units[u][1];
	return (n >= 99.95 ? n.toFixed(0) : n >= 9.995 ? n.toFixed(1) : n.toFixed(2)) + " " + units[u][0];
}

function percent(part, whole) {
	const p = whole > 0 ? part / whole * 100 : 0;
	return (p >= 99.95 || p === 0 ? p.toFixed(0) : p >= 10 ? p.toFixed(1) : p.toFixed(2)) + " %";
}

function shares(f) {
	const z = frames[zoom], all = f.gone ? totalBefore : total;
	let s = percent(f.v, all) + " of all" + (f.gone ? " before" : "");
	if (zoom && f.gone === z.gone && f.i >= zoom && f.i <= z.end)
		s += ", " + percent(f.v, z.v) + " of what is shown";
	return s;
}

function lines(f) {
	const l = [f.name, f.about, figure(f.v) + (wakes || per ? "" : " (" + grouped(f.v) + " ns)"), shares(f)];
	if (f.change || f.gone)
		l.push(f.gone ? "gone" : f.change);
	return l;
}

/* Text that fits. */

function columns(s) {
	let n = 0;
	for (const c of s)
		n += c.codePointAt(0) >= 0x1100 ? 2 : 1;
	return n;
}

function cut(s, room, tail) {
	if (columns(s) <= room)
		return s;
	const chars = Array.from(s);
	let kept = "", used = 0;
	if (tail)
		chars.reverse();
	for (const c of chars) {
		const n = columns(c);
		if (used + n > room - 1)
			break;
		used += n;
		kept = tail ? c + kept : kept + c;
	}
	return tail ? "\u2026" + kept : kept + "\u2026";
}

function label(f, px) {
	const room = Math.floor((px - 8) / charWidth);
	if (room < 3)
		return "";
	const extra = f.delta ? " " + f.delta : "";
	if (extra && columns(f.name) + extra.length <= room)
		return f.name + extra;
	return cut(f.name, room, f.tail);
}

/* The page. */

root.setAttribute("role", "group");
const page = make(SVG, "g", {});
root.insertBefore(page, head);
page.appendChild(head);
page.appendChild(stage);

const status = make(SVG, "g", { class: "status", "pointer-events": "none" }, root);
const statusBack = make(SVG, "rect", { width: "100%", height: 22 }, status);
const statusText = make(SVG, "text", { x: PAD, y: 15, id: "details", "aria-live": "polite" }, status);
const tip = make(SVG, "g", { class: "tip", "pointer-events": "none", visibility: "hidden" }, root);
const tipBack = make(SVG, "rect", { rx: 4 }, tip);
const tipLines = [0, 1, 2, 3, 4].map(function (i) {
	return make(SVG, "text", { class: i ? "" : "name", x: 8, y: 17 + i * 16 }, tip);
});

const bar = make(SVG, "g", {}, root);
const barBack = make(SVG, "rect", { class: "strip", width: "100%" }, bar);
const holder = make(SVG, "foreignObject", { width: "100%" }, bar);
const tools = make(XHTML, "div", { class: "tools" }, holder);
const input = make(XHTML, "input", { type: "text", id: "search", "aria-label": "search frames",
	placeholder: "search: regexp or text", spellcheck: "false", autocomplete: "off" }, tools);
const mode = make(XHTML, "button", { type: "button", id: "mode", title: "regular expression or plain text",
	"aria-pressed": "true" }, tools);
mode.textContent = ".*";
const reset = make(XHTML, "button", { type: "button", id: "reset", title: "Esc" }, tools);
reset.textContent = "reset zoom";
const found = make(XHTML, "output", { id: "found" }, tools);

function measure() {
	const probe = make(SVG, "text", { visibility: "hidden" }, root);
	probe.textContent = "0".repeat(100);
	charWidth = probe.getComputedTextLength() / 100 || charWidth;
	probe.remove();
}

/* Pieces of the head, in lines of the width there is. */
function flow(els, y, gap) {
	const sizes = els.map(function (el) { return el.getBBox().width; });
	let x = PAD;
	els.forEach(function (el, i) {
		if (x > PAD && x + sizes[i] > width - PAD) {
			x = PAD;
			y += LINE;
		}
		if (el.tagName === "g") {
			el.setAttribute("transform", "translate(" + x + "," + y + ")");
		} else {
			el.setAttribute("x", x);
			el.setAttribute("y", y);
		}
		x += sizes[i] + gap;
	});
	return y;
}

const heading = root.querySelector("#heading"), headingFull = root.querySelector("#wc-title").textContent;
const facts = Array.from(root.querySelectorAll("#facts .fact"));
facts.forEach(function (el) { el.dataset.full = el.dataset.full || el.textContent; });
const keys = Array.from(root.querySelectorAll("#legend .key"));

function pin() {
	const box = root.getBoundingClientRect();
	const top = Math.max(0, -box.top), view = Math.min(box.bottom, window.innerHeight) - Math.max(0, box.top);
	bar.setAttribute("transform", "translate(0," + top + ")");
	status.setAttribute("transform", "translate(0," + Math.max(0, top + view - 22) + ")");
}

function resize() {
	width = fluid ? Math.max(320, document.documentElement.clientWidth || window.innerWidth) :
			+root.getAttribute("width");
	const room = Math.floor((width - 2 * PAD) / charWidth), narrow = width < NARROW;
	strip = narrow ? 56 : 34;
	root.classList.toggle("narrow", narrow);
	page.setAttribute("transform", "translate(0," + strip + ")");
	barBack.setAttribute("height", strip - 4);
	holder.setAttribute("height", strip - 4);
	holder.setAttribute("width", width);
	heading.textContent = cut(headingFull, Math.floor(room * 12 / 16) - 1, false);
	facts.forEach(function (el) { el.textContent = cut(el.dataset.full, room, false); });
	let y = flow(facts, 46, 2.5 * charWidth);
	y = flow(keys, y + LINE + 5, 1.5 * charWidth) + 8;
	stage.setAttribute("y", y);
	stage.setAttribute("width", width - 2 * PAD);
	if (fluid)
		root.setAttribute("width", width);
	root.setAttribute("height", Math.max(strip + y + rows * rowHeight + 34, fluid ? window.innerHeight - 4 : 0));
	draw();
	pin();
}

/* Zoom: its frame and all above it get the whole width, the rest is put away. */
function draw() {
	const z = frames[zoom], room = width - 2 * PAD, above = new Set();
	for (let p = z.parent; p >= 0; p = frames[p].parent)
		above.add(p);
	frames.forEach(function (f) {
		const inside = f.i >= zoom && f.i <= z.end, over = above.has(f.i);
		const x = over ? 0 : (f.x - z.x) / z.w, w = over ? 1 : f.w / z.w;
		f.shown = (over || inside) && w * room >= 0.3;
		if (!f.shown) {
			f.el.style.display = "none";
			return;
		}
		f.el.style.display = "";
		f.el.classList.toggle("above", over);
		f.rect.setAttribute("x", x * 100 + "%");
		f.rect.setAttribute("width", w * 100 + "%");
		const s = label(f, w * room);
		if (s && !f.text)
			f.text = make(SVG, "text", { dx: 4, y: +f.rect.getAttribute("y") + 13 }, f.el);
		if (f.text) {
			f.text.setAttribute("x", x * 100 + "%");
			f.text.textContent = s;
		}
	});
	reset.disabled = !zoom;
}

function setZoom(i) {
	zoom = i;
	draw();
	tally();
	say(frames[zoom]);
	remember();
}

/* Search. */

function matcher() {
	const plain = query.toLowerCase();
	if (asRegexp) {
		try {
			const re = new RegExp(query, /[A-Z]/.test(query) ? "u" : "iu");
			return { test: function (s) { return re.test(s); } };
		} catch (e) {
			return { wrong: true, test: function (s) { return s.toLowerCase().includes(plain); } };
		}
	}
	return { test: function (s) { return s.toLowerCase().includes(plain); } };
}

/* What the hits cover, each stretch once however many lie above one another. */
function tally(wrong) {
	if (wrong === undefined)
		wrong = found.classList.contains("wrong");
	found.classList.toggle("wrong", wrong);
	if (!query) {
		found.textContent = "";
		return;
	}
	const z = frames[zoom];
	let shown = 0, all = 0, last = -1, lastShown = -1;
	hits = [];
	frames.forEach(function (f) {
		if (!f.hit)
			return;
		if (f.i > last) {
			last = f.end;
			all += f.gone ? 0 : f.v;
		}
		if (f.i >= zoom && f.i <= z.end && f.i > lastShown) {
			lastShown = f.end;
			shown += f.gone ? 0 : f.v;
		}
		if (f.shown)
			hits.push(f.i);
	});
	let s = hits.length + (hits.length === 1 ? " frame, " : " frames, ") + percent(all, total) + " of all";
	if (zoom)
		s += ", " + percent(shown, z.v) + " of what is shown";
	found.textContent = (wrong ? "not a regular expression, taken as text: " : "") + s;
}

function search(text) {
	clearTimeout(typing);
	query = text;
	const m = query ? matcher() : null;
	frames.forEach(function (f) {
		f.hit = !!m && !f.el.classList.contains("sp") && m.test(f.name);
		f.el.classList.toggle("hit", f.hit);
	});
	root.classList.toggle("searching", !!m);
	mark(-1);
	tally(!!m && !!m.wrong);
	remember();
}

function mark(i) {
	if (now >= 0)
		frames[now].el.classList.remove("now");
	now = i;
	if (i < 0)
		return;
	frames[i].el.classList.add("now");
	show(i);
	say(frames[i]);
}

function next(step) {
	if (!hits.length)
		return;
	const at = hits.indexOf(now);
	mark(hits[at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length]);
}

/* Into view, clear of the bars. */
function show(i) {
	const box = frames[i].rect.getBoundingClientRect();
	if (box.top < strip)
		window.scrollBy(0, box.top - strip - rowHeight);
	else if (box.bottom > window.innerHeight - 24)
		window.scrollBy(0, box.bottom - window.innerHeight + 24 + rowHeight);
}

/* Details. */

function say(f) {
	const l = f ? lines(f) : [];
	const s = f ? l[0] + "  " + l.slice(2).concat(l[1]).join("  ") : "";
	statusText.textContent = cut(s, Math.floor((width - 2 * PAD) / charWidth), false);
}

function hideTip() {
	tip.setAttribute("visibility", "hidden");
}

function showTip(f, x, y) {
	const box = root.getBoundingClientRect();
	const room = Math.floor((width - 40) / charWidth), l = lines(f).map(function (s) { return cut(s, room, false); });
	const w = Math.max.apply(null, l.map(columns)) * charWidth + 24, h = l.length * 16 + 10;
	tipLines.forEach(function (t, i) { t.textContent = l[i] || ""; });
	tipBack.setAttribute("width", w);
	tipBack.setAttribute("height", h);
	const tx = Math.max(2, Math.min(x + 14, width - w - 4));
	const ty = y + 18 + h > window.innerHeight - 24 ? y - h - 10 : y + 18;
	tip.setAttribute("transform", "translate(" + (tx - box.left) + "," + (ty - box.top) + ")");
	tip.setAttribute("visibility", "visible");
}

function frameOf(target) {
	const el = target instanceof Element ? target.closest("g.f") : null;
	return el && stage.contains(el) ? frames[byElement.get(el)] : null;
}

const byElement = new Map(frames.map(function (f) { return [f.el, f.i]; }));

function focus(i) {
	frames[focused].el.removeAttribute("tabindex");
	frames[focused].el.removeAttribute("aria-label");
	focused = i;
	const f = frames[i];
	f.el.setAttribute("tabindex", "0");
	f.el.setAttribute("role", "button");
	f.el.setAttribute("aria-label", lines(f).join(", "));
	return f.el;
}

/* Up the picture is towards what a frame leads to, unless the root is on top. */
function step(key) {
	const f = frames[focused];
	const out = key === (inverted ? "ArrowUp" : "ArrowDown");
	let best = -1;
	if (key === "ArrowUp" || key === "ArrowDown") {
		if (out)
			return f.parent;
		for (let i = f.i + 1; i <= f.end; i++)
			if (frames[i].parent === f.i && frames[i].shown && (best < 0 || frames[i].w > frames[best].w))
				best = i;
		return best;
	}
	const back = key === "ArrowLeft" ? -1 : 1;
	for (let i = f.i + back; i >= 0 && i < frames.length; i += back)
		if (frames[i].depth === f.depth && frames[i].shown)
			return i;
	return -1;
}

/* Where one is, kept in the address: a link to it can be passed on. */
let restoring = false;
function remember() {
	if (restoring)
		return;
	const parts = [];
	if (zoom)
		parts.push("zoom=" + zoom);
	if (query)
		parts.push((asRegexp ? "search=" : "text=") + encodeURIComponent(query));
	try {
		history.replaceState(null, "", "#" + parts.join("&"));
	} catch (e) {
		/* not every place that shows an SVG has a history */
	}
}

function recall() {
	let z = 0, q = "";
	restoring = true;
	location.hash.slice(1).split("&").forEach(function (part) {
		const at = part.indexOf("="), key = part.slice(0, at);
		let value = part.slice(at + 1);
		try {
			value = decodeURIComponent(value);
		} catch (e) {
			return;
		}
		if (key === "zoom" && /^\d+$/.test(value) && +value < frames.length)
			z = +value;
		else if (key === "search" || key === "text") {
			setMode(key === "search");
			q = value;
		}
	});
	input.value = q;
	setZoom(z);
	search(q);
	restoring = false;
}

function setMode(regexp) {
	asRegexp = regexp;
	mode.setAttribute("aria-pressed", String(regexp));
}

/* What people do. */

stage.addEventListener("click", function (e) {
	const f = frameOf(e.target);
	if (!f)
		return;
	focus(f.i);
	hideTip();
	setZoom(f.i);
});
stage.addEventListener("pointermove", function (e) {
	const f = frameOf(e.target);
	if (!f || e.pointerType === "touch") {
		hideTip();
		return;
	}
	showTip(f, e.clientX, e.clientY);
	say(f);
});
stage.addEventListener("pointerleave", function () {
	hideTip();
	say(now >= 0 ? frames[now] : frames[zoom]);
});
stage.addEventListener("focusin", function (e) {
	const f = frameOf(e.target);
	if (f)
		say(f);
});
input.addEventListener("input", function () {
	clearTimeout(typing);
	typing = setTimeout(function () { search(input.value); }, frames.length > 5000 ? 150 : 0);
});
mode.addEventListener("click", function () {
	setMode(!asRegexp);
	search(input.value);
});
reset.addEventListener("click", function () { setZoom(0); });

function escape() {
	hideTip();
	if (query || input.value) {
		input.value = "";
		search("");
	} else if (zoom) {
		setZoom(0);
	}
}

function onKey(e) {
	const inInput = e.target === input, inTools = tools.contains(e.target);
	if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === "f" || (e.key === "/" && !inInput)) {
		input.focus({ preventScroll: true });
		input.select();
	} else if (e.ctrlKey || e.metaKey || e.altKey) {
		return;
	} else if (e.key === "Escape") {
		escape();
	} else if ((e.key === "Enter" && inInput) || e.key === "F3") {
		if (input.value !== query)
			search(input.value);
		next(e.shiftKey ? -1 : 1);
	} else if (inTools) {
		return;
	} else if (e.key === "n" || e.key === "N") {
		next(e.key === "N" ? -1 : 1);
	} else if (/^Arrow/.test(e.key)) {
		const i = step(e.key);
		if (i >= 0) {
			focus(i).focus({ preventScroll: true });
			show(i);
		}
	} else if ((e.key === "Enter" || e.key === " ") && frameOf(e.target)) {
		setZoom(focused);
	} else {
		return;
	}
	e.preventDefault();
}

window.addEventListener("keydown", onKey);
window.addEventListener("resize", resize);
window.addEventListener("scroll", function () { hideTip(); pin(); }, { passive: true });
window.addEventListener("hashchange", recall);

measure();
resize();
focus(0);
recall();
})();
