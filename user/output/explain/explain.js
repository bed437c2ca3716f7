/* Comforts only: everything can be read without. */
"use strict";
(() => {
	const tip = document.createElement("div");

	tip.id = "tip";
	tip.setAttribute("aria-hidden", "true");
	tip.hidden = true;
	document.body.append(tip);

	/* The browser's own tooltip would come late, and beside ours. */
	for (const g of document.querySelectorAll(".tip")) {
		const title = g.querySelector("title");

		if (!title)
			continue;
		g.dataset.tip = title.textContent;
		g.setAttribute("aria-label", title.textContent);
		title.remove();
		if (!g.closest("[aria-hidden]"))
			g.setAttribute("tabindex", "0");
	}

	function show(g, x, y) {
		tip.textContent = g.dataset.tip;
		tip.hidden = false;
		const wide = tip.offsetWidth, edge = document.documentElement.clientWidth;
		tip.style.left = Math.max(4, Math.min(x + 14, edge - wide - 8)) + scrollX + "px";
		tip.style.top = y + 18 + scrollY + "px";
	}

	const at = event => event.target.closest && event.target.closest(".tip");

	document.addEventListener("pointermove", event => {
		const g = at(event);

		if (g && g.dataset.tip)
			show(g, event.clientX, event.clientY);
		else
			tip.hidden = true;
	});
	document.addEventListener("focusin", event => {
		const g = at(event);

		if (!g || !g.dataset.tip)
			return;
		const box = g.getBoundingClientRect();
		show(g, box.left, box.bottom - 10);
	});
	document.addEventListener("focusout", () => { tip.hidden = true; });
	document.addEventListener("keydown", event => {
		if (event.key === "Escape")
			tip.hidden = true;
	});

	const command = document.getElementById("command");

	if (command && navigator.clipboard) {
		const button = document.createElement("button");

		button.type = "button";
		button.textContent = "Copy";
		button.addEventListener("click", async () => {
			await navigator.clipboard.writeText(command.textContent);
			button.textContent = "Copied";
			setTimeout(() => { button.textContent = "Copy"; }, 1500);
		});
		command.after(button);
	}
})();
