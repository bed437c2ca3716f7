// SPDX-License-Identifier: BSD-2-Clause
// node flame.js FOLDER: the flame graphs in it, in a browser. CHROMIUM says which.
"use strict";
const assert = require("assert");
const path = require("path");
const { chromium } = require("playwright-core");

const folder = path.resolve(process.argv[2]);
const tests = [];
let browser;

function test(name, file, fn, options) {
	tests.push({ name, file, fn, options: options || {} });
}

// One page for all: a new one each would take longer than the tests.
let page, wrong = [], current = "";

async function open() {
	page = await (await browser.newContext()).newPage();
	page.on("pageerror", e => wrong.push(e.message));
	page.on("console", m => m.type() === "error" && wrong.push(m.text()));
	page.on("dialog", d => { wrong.push("dialog"); d.dismiss(); });
	page.on("request", r => r.url().startsWith(current) || wrong.push(r.url()));
}

async function run(t) {
	await page.goto("about:blank");
	await page.mouse.move(1, 1);
	await page.setViewportSize(t.options.viewport || { width: 1200, height: 1000 });
	await page.emulateMedia({ colorScheme: t.options.colorScheme || "light" });
	current = "file://" + folder + "/" + t.file;
	wrong = [];
	await page.goto(current + (t.options.hash || ""));
	await t.fn(page);
	assert.deepStrictEqual(wrong, [], "errors, dialogs or requests");
}

// What a page does once it has been let, as a search does after typing: asked again until it holds.
async function until(check) {
	const end = Date.now() + 10000;
	for (;;) {
		try {
			return await check();
		} catch (e) {
			if (Date.now() > end)
				throw e;
		}
		await new Promise(done => setTimeout(done, 20));
	}
}

// In the page: names of the frames that are shown, or of a class.
const names = (page, css) => page.evaluate(css => Array.from(document.querySelectorAll("g.f" + css))
	.filter(g => g.style.display !== "none")
	.map(g => g.querySelector("text") ? g.querySelector("text").textContent : "").filter(s => s), css || "");
const value = page => page.evaluate(() => document.querySelector("#search").value);
const text = (page, css) => page.evaluate(css => document.querySelector(css).textContent, css);
const widthOf = (page, css) => page.evaluate(css => document.querySelector(css).getBoundingClientRect().width, css);
const hash = page => page.evaluate(() => location.hash);

// The whole of what was typed has been searched for.
const searched = (page, wanted) => until(async () =>
	assert.strictEqual(decodeURIComponent((await hash(page)).replace(/^.*(search|text)=/, "")), wanted));

// The first shown frame whose whole label is this.
async function frame(page, label) {
	for (const g of await page.$$("g.f"))
		if (await g.evaluate((g, label) => g.style.display !== "none" && g.querySelector("text") &&
				g.querySelector("text").textContent === label, label))
			return g;
	throw new Error("no frame " + label);
}

test("nothing overlaps and no label is wider than its frame", "chain.svg", async page => {
	const bad = await page.evaluate(() => {
		const rows = {}, bad = [];
		for (const g of document.querySelectorAll("g.f")) {
			if (g.style.display === "none")
				continue;
			const r = g.querySelector("rect").getBoundingClientRect(), t = g.querySelector("text");
			if (t && t.textContent && t.getBoundingClientRect().right > r.right)
				bad.push("label " + t.textContent);
			(rows[Math.round(r.top)] = rows[Math.round(r.top)] || []).push(r);
		}
		for (const row of Object.values(rows))
			row.sort((a, b) => a.left - b.left).forEach((r, i) => {
				if (i && r.left < row[i - 1].right - 0.6)
					bad.push("overlap at " + r.left);
			});
		const page = document.documentElement.getBoundingClientRect();
		for (const t of document.querySelectorAll("#head text"))
			if (t.getBoundingClientRect().right > page.right)
				bad.push("head " + t.textContent);
		return bad;
	});
	assert.deepStrictEqual(bad, []);
});

for (const width of [360, 700, 2200])
	test("it fits a window of " + width, "diff.svg", async page => {
		assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), width);
		const right = await page.evaluate(() => Math.max(...Array.from(
			document.querySelectorAll("#head text"), t => t.getBoundingClientRect().right)));
		assert.ok(right <= width, "head ends at " + right);
	}, { viewport: { width, height: 800 } });

test("search marks, and counts a stretch once", "chain.svg", async page => {
	await page.keyboard.press("/");
	await page.keyboard.type("futex_wait");
	await searched(page, "futex_wait");
	for (const name of await names(page, ".hit"))
		assert.match(name, /^_*(f|\u2026)/);
	// futex_wait stands on __futex_wait on ...: all of it below 100 %, not a multiple
	const share = parseFloat((await text(page, "#found")).match(/, ([\d.]+) % of all/)[1]);
	assert.ok(share > 80 && share <= 100, "share " + share);
	assert.match(await hash(page), /search=futex_wait/);
});

test("Enter goes to the next, Shift-Enter back", "chain.svg", async page => {
	await page.keyboard.press("Control+f");
	await page.keyboard.type("unpark");
	await searched(page, "unpark");
	const at = () => page.evaluate(() => Array.from(document.querySelectorAll("g.f")).indexOf(document.querySelector("g.f.now")));
	const seen = [];
	for (const key of ["Enter", "Enter", "Shift+Enter", "Shift+Enter"]) {
		await page.keyboard.press(key);
		seen.push(await at());
	}
	assert.ok(seen[0] >= 0 && seen[1] > seen[0] && seen[2] === seen[0] && seen[3] > seen[1], String(seen));
	assert.match(await text(page, "#details"), /unpark/);
});

test("a wrong regular expression is said and taken as text", "chain.svg", async page => {
	await page.keyboard.press("Meta+f");
	await page.keyboard.type("(1)(");
	await searched(page, "(1)(");
	assert.match(await text(page, "#found"), /^not a regular expression, taken as text: 0 frames/);
	await page.keyboard.press("Backspace");
	await searched(page, "(1)");
	assert.ok(!/not a regular/.test(await text(page, "#found")));
	await page.click("#mode");
	assert.match(await text(page, "#found"), /^[1-9]\d* frames/);
	for (const name of await names(page, ".hit"))
		assert.match(name, /^(StubRoutines \(1\)|Stub.*\u2026)$/);
	assert.match(await hash(page), /text=/);
});

test("a click zooms, the button undoes it", "chain.svg", async page => {
	const before = await names(page);
	await (await frame(page, "Handoff.ping")).click();
	const after = await names(page);
	assert.ok(after.length < before.length);
	assert.ok(!after.includes("Handoff.pong") || after.indexOf("Handoff.pong") > after.indexOf("Handoff.ping"));
	const wide = await (await frame(page, "Handoff.ping")).evaluate(g => g.querySelector("rect").getBoundingClientRect().width);
	assert.ok(Math.abs(wide - await widthOf(page, "#frames")) < 21, "width " + wide);
	assert.match(await text(page, "#details"), /of all, 100 % of what is shown/);
	assert.match(await hash(page), /zoom=\d+/);
	await page.click("#reset");
	assert.deepStrictEqual(await names(page), before);
	assert.ok(await page.isDisabled("#reset"));
});

test("Esc clears the search, then the zoom", "chain.svg", async page => {
	await (await frame(page, "Handoff.ping")).click();
	await page.keyboard.press("/");
	await page.keyboard.type("park");
	await searched(page, "park");
	assert.ok((await names(page, ".hit")).length > 0);
	await page.keyboard.press("Escape");
	assert.strictEqual(await value(page), "");
	assert.strictEqual((await names(page, ".hit")).length, 0);
	assert.match(await hash(page), /zoom=/);
	await page.keyboard.press("Escape");
	assert.ok(!/zoom=/.test(await hash(page)));
});

test("arrows and Enter reach every neighbour", "chain.svg", async page => {
	const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") || "");
	await page.keyboard.press("ArrowUp");
	assert.match(await label(), /^java, process/);
	await page.keyboard.press("ArrowUp");
	assert.match(await label(), /^__clone3, wakee, user/);
	await page.keyboard.press("ArrowLeft");
	assert.ok(!/^__clone3, wakee, user/.test(await label()));
	await page.keyboard.press("ArrowRight");
	assert.match(await label(), /^__clone3/);
	await page.keyboard.press("Enter");
	assert.match(await hash(page), /zoom=/);
	await page.keyboard.press("ArrowDown");
	assert.match(await label(), /^java/);
});

test("the root may be on top", "inverted.svg", async page => {
	await page.keyboard.press("ArrowDown");
	assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /, process, thread, /);
	await page.keyboard.press("ArrowUp");
	assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^all, /);
});

test("Tab goes through the tools to the frames", "chain.svg", async page => {
	await page.focus("#search");
	await page.keyboard.press("Tab");
	assert.strictEqual(await page.evaluate(() => document.activeElement.id), "mode");
	for (let i = 0; i < 4 && !await page.evaluate(() => document.activeElement.classList.contains("f")); i++)
		await page.keyboard.press("Shift+Tab");
	assert.ok(await page.evaluate(() => document.activeElement.classList.contains("f")));
});

test("the tooltip says what a frame cost", "chain.svg", async page => {
	await (await frame(page, "Handoff.ping")).hover();
	await until(async () => assert.match(await text(page, ".tip"), /^Handoff\.ping/));
	const tip = await text(page, ".tip");
	assert.match(tip, /wakee, user, compiled at run time, \[jit\]/);
	assert.match(tip, /1\.25 s \(1,249,975,000 ns\)42\.0 % of all/);
	assert.match(await text(page, "#details"), /^Handoff\.ping  1\.25 s/);
	const box = await page.evaluate(() => document.querySelector(".tip").getBoundingClientRect().toJSON());
	assert.ok(box.left >= 0 && box.right <= 1200 && box.bottom <= 1000);
	await page.mouse.move(5, 5);
	await until(async () => assert.strictEqual(await page.getAttribute(".tip", "visibility"), "hidden"));
});

test("a comparison says what it was, by sign as by colour", "diff.svg", async page => {
	await (await frame(page, "Handoff.ping +400 %")).hover();
	await until(async () => assert.match(await text(page, ".tip"), /\+400 %; before 250 ms/));
	const gone = await page.$("g.f.gone");
	await gone.hover();
	await until(async () => assert.match(await text(page, ".tip"), /of all beforegone$/));
	assert.ok((await names(page, ".new")).length > 0);
});

test("the address brings one back", "chain.svg", async page => {
	assert.strictEqual(await value(page), "park|futex");
	assert.ok((await names(page, ".hit")).length > 0);
	assert.ok(!await page.isDisabled("#reset"));
}, { hash: "#zoom=12&search=park%7Cfutex" });

test("an address that is none does no harm", "chain.svg", async page => {
	assert.ok(await page.isDisabled("#reset"));
}, { hash: "#zoom=99999&search=%E0%A4%A&x" });

test("hostile names are text", "hostile.svg", async page => {
	const all = (await names(page)).join("\n");
	assert.ok(all.includes("</text><script>alert(1)</script>\\x0d"));
	assert.ok(all.includes("a;b c\\x0a\\x1b[31m"));
	assert.strictEqual((await page.$$("script")).length, 1);
});

test("without script it is a picture with its words", "still.svg", async page => {
	assert.strictEqual((await page.$$("script")).length, 0);
	assert.ok((await names(page)).includes("Handoff.ping"));
	assert.match(await page.evaluate(() => document.querySelector("g.f title").textContent), /^all\n/);
	assert.ok(await page.evaluate(() => document.documentElement.getAttribute("role") === "img"));
});

// Contrast of every label with what lies behind it, as WCAG counts it.
async function contrasts(page) {
	return page.evaluate(() => {
		const rgb = s => s.match(/[\d.]+/g).slice(0, 3).map(Number);
		const light = c => {
			const l = c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
		};
		const paper = rgb(getComputedStyle(document.querySelector(".paper")).fill);
		return Array.from(document.querySelectorAll("g.f text"), t => {
			const r = getComputedStyle(t.parentNode.querySelector("rect")), o = +r.fillOpacity * +r.opacity;
			const back = rgb(r.fill).map((v, i) => v * o + paper[i] * (1 - o));
			const c = getComputedStyle(t), a = light(rgb(c.fill).map((v, i) => v * c.opacity + back[i] * (1 - c.opacity)));
			const b = light(back);
			return { ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), of: t.parentNode.getAttribute("class") };
		}).filter(c => c.ratio < 4.5).map(c => c.of + " " + c.ratio.toFixed(2));
	});
}

for (const colorScheme of ["light", "dark"])
	for (const file of ["chain.svg", "stage.svg", "diff.svg"])
		test("labels can be read: " + file + ", " + colorScheme, file, async page => {
			assert.deepStrictEqual(await contrasts(page), []);
			await page.keyboard.press("/");
			await page.keyboard.type("futex");
			await searched(page, "futex");
			assert.deepStrictEqual(await contrasts(page), []);
			const paper = await page.evaluate(() => getComputedStyle(document.querySelector(".paper")).fill);
			assert.strictEqual(paper === "rgb(255, 255, 255)", colorScheme === "light");
		}, { colorScheme });

(async () => {
	browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
	let failed = 0;
	await open();
	console.log("1.." + tests.length);
	for (const [i, t] of tests.entries()) {
		try {
			await run(t);
			console.log("ok " + (i + 1) + " - " + t.name);
		} catch (e) {
			failed++;
			console.log("not ok " + (i + 1) + " - " + t.name);
			console.log(String(e.stack || e).replace(/^/gm, "# "));
		}
	}
	await browser.close();
	process.exit(failed ? 1 : 0);
})();
