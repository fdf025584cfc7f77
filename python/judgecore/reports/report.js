// Behaviour that all pages share. Without this script a page is complete, but can't be filtered or sorted.
"use strict";
const judgecore = (() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // Text as nodes, with the code points from start to end marked.
  function highlight(text, start, end) {
    const points = Array.from(text), found = document.createDocumentFragment(), mark = document.createElement("mark");
    mark.textContent = points.slice(start, end).join("");
    found.append(points.slice(0, start).join(""), mark, points.slice(end).join(""));
    return found;
  }

  function connectTheme() {
    const group = document.querySelector(".theme");
    if (!group) return;
    const buttons = all("button", group), root = document.documentElement;
    const isDark = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const theme = root.dataset.theme || (isDark.matches ? "dark" : "light");
      buttons.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.theme === theme)));
    };
    buttons.forEach((one) => one.addEventListener("click", () => { root.dataset.theme = one.dataset.theme; show(); }));
    isDark.addEventListener("change", show);
    group.hidden = false;
    show();
  }

  // A cell sorts by data-value, or else by its text; empty cells come last in both orders.
  function compareCells(first, second, direction) {
    if (first === "" || second === "") return (first === "") - (second === "");
    const numbers = [first, second].map(Number);
    const order = numbers.some(Number.isNaN) ? first.localeCompare(second, undefined, { numeric: true }) : numbers[0] - numbers[1];
    return direction * order;
  }

  function connectSorting(table) {
    const heads = all("thead th", table), body = table.tBodies[0];
    const valueAt = (row, place) => { const cell = row.cells[place]; return cell.dataset.value ?? cell.textContent.trim(); };
    heads.forEach((head, place) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        body.append(...[...body.rows].sort((a, b) => compareCells(valueAt(a, place), valueAt(b, place), direction)));
      });
    });
  }

  // A form filters the elements inside the list that it names: a select by data-<name>, a search field by text.
  // Of those that match at most data-most are shown, until a button shows more.
  function connectFilters(form) {
    const list = document.getElementById(form.dataset.list), items = [...list.children];
    const output = form.querySelector("output"), fields = all("select, input", form);
    const noun = form.dataset.noun || "items", step = Number(form.dataset.most) || Infinity;
    const more = document.createElement("button"), texts = new Map();
    let most = step;
    more.type = "button";
    more.className = "more";
    list.after(more);
    const textOf = (one) => {
      if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
      return texts.get(one);
    };
    const matches = (one) => fields.every(({ type, name, value }) => {
      if (value === "") return true;
      return type === "search" ? textOf(one).includes(value.toLowerCase()) : one.dataset[name] === value;
    });
    const apply = () => {
      let found = 0;
      for (const one of items) {
        const isFound = matches(one);
        found += isFound;
        one.hidden = !isFound || found > most;
      }
      more.hidden = found <= most;
      more.textContent = found - most > step ? `Show ${step} of ${found - most} more` : `Show ${found - most} more`;
      output.textContent = found === items.length ? `${found} ${noun}` : `${found} of ${items.length} ${noun}`;
    };
    const restart = () => { most = step; apply(); };
    more.addEventListener("click", () => {
      const next = items.find((one) => one.hidden && matches(one));
      most += step;
      apply();
      next?.querySelector("summary")?.focus();
    });
    form.addEventListener("input", restart);
    form.addEventListener("reset", () => setTimeout(restart));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }

  // A link with data-filter sets the fields of the form that it leads to: a cell of a heat map, for example.
  function connectFilterLinks() {
    for (const link of all("[data-filter]")) {
      link.addEventListener("click", () => {
        const form = document.querySelector(`form[data-list="${link.getAttribute("href").slice(1)}"]`);
        form.reset();
        for (const [name, value] of Object.entries(JSON.parse(link.dataset.filter))) form.elements[name].value = value;
        setTimeout(() => form.dispatchEvent(new Event("input")));
      });
    }
  }

  // Up and down move between the items of a list.
  function connectKeys() {
    document.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], now = event.target.closest?.(".item > summary");
      if (!step || !now) return;
      const heads = all(".item:not([hidden]) > summary", now.closest(".items"));
      heads[heads.indexOf(now) + step]?.focus();
      event.preventDefault();
    });
  }

  function connectCopying() {
    for (const button of all("button[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText);
        button.textContent = "Copied";
      });
    }
  }

  connectTheme();
  all("table.sortable").forEach(connectSorting);
  all("form.filters").forEach(connectFilters);
  connectFilterLinks();
  connectKeys();
  connectCopying();
  return { highlight };
})();
