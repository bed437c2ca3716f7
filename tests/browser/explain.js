// SPDX-License-Identifier: BSD-2-Clause
// node explain.js PAGE: the page of explain, in a browser. CHROMIUM says which.
"use strict";
const assert = require("assert");
const path = require("path");
const { chromium } = require("playwright-core");

const url = "file://" + path.resolve(process.argv[2]);
const tests = [];

function test(name, options, fn) {
	tests.push({ name, options, fn });
}

async function open(browser, options) {
	const context = await browser.newContext({
		viewport: { width: options.width || 1200, height: 900 },
		colorScheme: options.dark ? "dark" : "light",
		javaScriptEnabled: !options.still,
	});
	const page = await context.newPage();
	const wrong = [];

	page.on("pageerror", e => wrong.push(e.message));
	page.on("console", m => m.type() === "error" && wrong.push(m.text()));
	page.on("request", r => r.url() === url || wrong.push(r.url()));
	await page.goto(url);
	return { context, page, wrong };
}

/* Contrast as WCAG has it, of what is really painted: the nearest ground that is not transparent. */
const contrasts = page => page.evaluate(() => {
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const light = c => {
		const [r, g, b] = parse(c).slice(0, 3).map(v => {
			v /= 255;
			return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ground = e => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor, v = parse(c);
			if (v.length < 4 || v[3] > 0)
				return c;
		}
		return "rgb(255, 255, 255)";
	};
	return Array.from(document.querySelectorAll("h1, h2, p, li, td, th, dt, dd, pre, .ci")).map(e => {
		const a = light(getComputedStyle(e).color), b = light(ground(e));
		return { text: e.textContent.slice(0, 30), ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
	});
});

for (const dark of [false, true]) {
	test(`text stands out from its ground, ${dark ? "dark" : "light"}`, { dark }, async page => {
		for (const c of await contrasts(page))
			assert.ok(c.ratio >= 4.5, `${c.text}: ${c.ratio.toFixed(2)}`);
	});
}

for (const width of [320, 380, 768, 1200, 2000]) {
	test(`nothing sticks out at ${width} px`, { width }, async page => {
		const wide = await page.evaluate(() => document.documentElement.scrollWidth);
		assert.ok(wide <= width, `${wide} px`);
		for (const svg of await page.$$(".bars svg, .plot .area, .icicle")) {
			const box = await svg.boundingBox();
			assert.ok(box.width > 100 && box.x + box.width <= width, JSON.stringify(box));
		}
	});
}

test("without script everything is there", { still: true }, async page => {
	for (const id of ["verdict", "causes", "slope", "stages", "change", "book", "checks", "repeat"])
		assert.ok((await page.locator("#" + id).innerText()).length > 40, id);
	assert.ok(await page.locator(".bars title").count() > 5);
});

test("bars of the same scale are as long as their growth", {}, async page => {
	const rows = await page.evaluate(() => {
		const cells = Array.from(document.querySelectorAll("#causes tbody tr")).map(
			tr => parseFloat(tr.children[1].textContent));
		return Array.from(document.querySelectorAll(".bars svg")).map((svg, i) => {
			const zero = svg.querySelector(".zero").getBoundingClientRect().x;
			return { growth: cells[i], px: svg.querySelector("circle").getBoundingClientRect().x + 3 - zero };
		});
	});
	const top = rows[rows.length - 1];

	assert.strictEqual(rows.length, 5);
	for (const row of rows)
		assert.ok(Math.abs(row.px - top.px * row.growth / top.growth) < 3, JSON.stringify(rows));
});

test("a pointer and the keyboard bring up the figures", {}, async page => {
	const point = page.locator(".point").last();

	await point.locator("circle").hover();
	await page.locator("#tip").waitFor({ state: "visible" });
	assert.match(await page.locator("#tip").innerText(), /30,000 parked\n.* us, 95 % between/);
	await page.mouse.move(1, 1);
	await page.locator("#tip").waitFor({ state: "hidden" });
	await point.focus();
	await page.locator("#tip").waitFor({ state: "visible" });
	await page.keyboard.press("Escape");
	await page.locator("#tip").waitFor({ state: "hidden" });
});

test("paper gets no buttons", {}, async page => {
	await page.emulateMedia({ media: "print" });
	assert.strictEqual(await page.locator("button:visible").count(), 0);
});

(async () => {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
	let failed = 0;

	console.log(`1..${tests.length}`);
	for (const [i, t] of tests.entries()) {
		const { context, page, wrong } = await open(browser, t.options);
		try {
			await t.fn(page);
			assert.deepStrictEqual(wrong, [], "errors or requests");
			console.log(`ok ${i + 1} ${t.name}`);
		} catch (e) {
			failed++;
			console.log(`not ok ${i + 1} ${t.name}\n# ${String(e.message).replace(/\n/g, "\n# ")}`);
		}
		await context.close();
	}
	await browser.close();
	process.exit(failed ? 1 : 0);
})();
