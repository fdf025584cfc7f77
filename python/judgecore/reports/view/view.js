// The page of `judgecore view`: a virtual list, filters and a spot check over rows of a server or of the page itself.
document.addEventListener("DOMContentLoaded", () => {
  const main = document.querySelector(".view");
  if (!main) return;
  const byId = (id) => document.getElementById(id);
  const make = (tag, properties = {}, ...content) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...content);
    return made;
  };
  const noun = main.dataset.noun, none = "(none)";
  const counted = (n, word = noun) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
  const PAGE = 100, LONGEST_LIST = 8e6, ROWS_BEYOND = 6, PAUSE_MS = 150, POLL_MS = 500;

  // What a spot check is about: a rejected row or an unanswered request is neither right nor wrong.
  const judged = new Set(["ok", "unreadable", "complete", "undetermined"]);
  const isRead = ({ status }) => status === "ok" || status === "complete";

  // ---- Where rows come from: both sources find, show, sample and judge.

  class ServerSource {
    constructor() { this.isKept = main.dataset.kept !== ""; }
    async ask(path, options) {
      let answer;
      try {
        answer = await fetch(path, options);
      } catch {
        throw new Error("judgecore view has ended, or can't be reached; run the command again.");
      }
      if (!answer.ok) throw new Error((await answer.text()).trim());
      return answer.json();
    }
    get(path, values) { return this.ask(`${path}?${new URLSearchParams(values)}`); }
    find(filter, first, n) { return this.get("rows", { filter: JSON.stringify(filter), first, n }); }
    show(at) { return this.get("row", { at }); }
    sample(filter, n) { return this.get("sample", { filter: JSON.stringify(filter), n }); }
    judge(at, judgement) { return this.ask("judge", { method: "POST", body: JSON.stringify({ at, judgement }) }); }
  }

  class PageSource {
    constructor(data) {
      this.data = data;
      this.isKept = false;
      this.judgements = new Map();
      this.texts = data.rows.map(() => null);
    }
    textOf(at) {
      const row = this.data.rows[at];
      this.texts[at] ??= [row.value, row.reason, row.detail, row.reply ?? "", ...Object.values(row.cells)].join("\n").toLowerCase();
      return this.texts[at];
    }
    match({ text, labels, low, high }) {
      const { rows, columns, numbers } = this.data, needle = text.toLowerCase();
      const own = Object.entries(labels).filter(([name, values]) => values.length && Object.hasOwn(columns, name))
        .map(([name, values]) => [name, new Set(values.map((one) => columns[name].values.indexOf(one)))]);
      const counts = Object.fromEntries(Object.entries(columns).map(([name, one]) => [name, one.values.map(() => 0)]));
      const found = [];
      for (let at = 0; at < rows.length; at++) {
        if ((low !== null && !(numbers[at] !== null && numbers[at] >= low)) || (high !== null && !(numbers[at] !== null && numbers[at] <= high))) continue;
        if (needle && !this.textOf(at).includes(needle)) continue;
        const missed = own.filter(([name, codes]) => !codes.has(columns[name].codes[at])).map(([name]) => name);
        if (missed.length > 1) continue;
        for (const name in counts) if (!missed.length || missed[0] === name) counts[name][columns[name].codes[at]]++;
        if (!missed.length) found.push(at);
      }
      return { found, counts };
    }
    find(filter, first, n) {
      const asked = JSON.stringify(filter);
      if (this.asked !== asked) { this.matches = this.match(filter); this.asked = asked; }
      const { found, counts } = this.matches, { columns, rows, range } = this.data;
      return Promise.resolve({
        total: found.length, entries: rows.length, is_complete: true, problem: "", first, range,
        labels: Object.fromEntries(Object.entries(counts).map(([name, ns]) => [name, ns.map((n, code) => [columns[name].values[code], n])])),
        rows: found.slice(first, first + n).map((at) => ({ at, ...excerpt(rows[at]) })),
      });
    }
    show(at) { return Promise.resolve(this.data.rows[at]); }
    sample(filter, n) {
      const { places, rows } = this.data, found = this.match(filter).found.filter((at) => judged.has(rows[at].status));
      const sampled = [...found].sort((a, b) => places[a] - places[b]).slice(0, n);
      const judgement = (at) => this.judgements.get(rows[at].digest) ?? null;
      return Promise.resolve({
        total: found.length, others: 0,
        rows: sampled.map((at) => ({ at, where: rows[at].where, status: rows[at].status, judgement: judgement(at) })),
      });
    }
    judge(at, judgement) {
      const { digest } = this.data.rows[at];
      if (judgement === null) this.judgements.delete(digest); else this.judgements.set(digest, judgement);
      return Promise.resolve({});
    }
  }

  // A line of the list, as entry.py cuts it.
  function excerpt(row) {
    const { where, status, reason, value } = row;
    const points = Array.from(row.reply ?? (row.detail || (Object.values(row.cells).find((one) => one.length >= 20) ?? "")));
    if (row.reply === null || row.span === null) return { where, status, reason, value, reply: points.slice(0, 112).join(""), span: null };
    const [start, end] = row.span, first = Math.max(0, start - 22), last = Math.min(end, start + 90);
    const cut = first > 0 ? "…" : "", offset = first - cut.length;
    return { where, status, reason, value, reply: cut + points.slice(first, last + 90).join(""), span: [start - offset, last - offset] };
  }

  const embedded = byId("data");
  const source = embedded ? new PageSource(JSON.parse(embedded.textContent)) : new ServerSource();

  function report(problem) {
    const note = byId("problem");
    note.textContent = problem instanceof Error ? problem.message : problem;
    note.hidden = !note.textContent;
  }

  // ---- Filters.

  // Without a prototype, so that a column may have any name.
  const noLabels = () => Object.create(null);
  const filter = { text: "", labels: noLabels(), low: null, high: null };
  const columns = byId("columns"), textField = byId("text");

  function restore() {
    try {
      const kept = JSON.parse(decodeURIComponent(location.hash.slice(1)));
      const { text, labels, low, high } = kept, isEnd = (end) => end === null || typeof end === "number";
      const isLabels = Object.values(labels).every((values) => Array.isArray(values) && values.every((one) => typeof one === "string"));
      if (typeof text === "string" && isLabels && isEnd(low) && isEnd(high)) Object.assign(filter, { text, labels: Object.assign(noLabels(), labels), low, high });
    } catch { /* An address without a filter. */ }
    textField.value = filter.text;
  }

  const isFiltered = () => filter.text !== "" || filter.low !== null || filter.high !== null || Object.keys(filter.labels).length > 0;

  function describeFilter() {
    const parts = Object.entries(filter.labels).map(([name, values]) => `${name}: ${values.map((one) => one || none).join(" or ")}`);
    if (filter.low !== null || filter.high !== null) parts.push(`value from ${filter.low ?? "any"} to ${filter.high ?? "any"}`);
    if (filter.text) parts.push(`text “${filter.text}”`);
    return parts.join("; ");
  }

  function changed() {
    const hash = isFiltered() ? `#${encodeURIComponent(JSON.stringify(filter))}` : location.pathname + location.search;
    // A page that was opened as a file has no history of its own in some browsers.
    try { history.replaceState(null, "", hash); } catch { /* Only the address stays as it was. */ }
    list.refresh(true);
  }

  let waiting = 0;
  textField.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { filter.text = textField.value; changed(); }, PAUSE_MS);
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", () => {
    Object.assign(filter, { text: "", labels: noLabels(), low: null, high: null });
    setTimeout(() => { for (const box of columns.querySelectorAll("input")) if (box.type === "checkbox") box.checked = false; changed(); textField.focus(); });
  });

  function choose(name, value, isChosen) {
    const values = new Set(filter.labels[name] ?? []);
    if (isChosen) values.add(value); else values.delete(value);
    if (values.size) filter.labels[name] = [...values]; else delete filter.labels[name];
    changed();
  }

  function columnBox(name) {
    const box = make("details", { open: columns.children.length < 4 }, make("summary", {}, name));
    const values = make("div", { className: "values" });
    values.setAttribute("role", "group");
    values.setAttribute("aria-label", name);
    box.append(values);
    box.dataset.name = name;
    return box;
  }

  function valueBox(name, value) {
    const box = make("input", { type: "checkbox", checked: (filter.labels[name] ?? []).includes(value) });
    box.addEventListener("change", () => choose(name, value, box.checked));
    const label = make("label", {}, box, make("span", { className: "name" }, value || none), make("span", { className: "n" }));
    label.dataset.value = value;
    return label;
  }

  function showColumns(found) {
    for (const name of Object.keys(filter.labels)) {
      if (!Object.hasOwn(found.labels, name)) { delete filter.labels[name]; setTimeout(changed); }
    }
    for (const box of [...columns.children]) if (!Object.hasOwn(found.labels, box.dataset.name) && box.dataset.name !== "\0range") box.remove();
    for (const [name, values] of Object.entries(found.labels)) {
      let box = [...columns.children].find((one) => one.dataset.name === name);
      if (!box) columns.append(box = columnBox(name));
      const inside = box.lastElementChild;
      const shown = new Map([...inside.children].map((one) => [one.dataset.value, one]));
      for (const [value, n] of values) {
        let label = shown.get(value);
        if (!label) {
          if (value === "" && n === 0) continue;
          shown.set(value, label = valueBox(name, value));
          insertInOrder(inside, label);
        }
        label.lastElementChild.textContent = n.toLocaleString("en");
      }
      const chosen = (filter.labels[name] ?? []).length;
      box.firstElementChild.textContent = chosen ? `${name} (${chosen})` : name;
    }
    showRange(found.range);
    byId("clear").hidden = !isFiltered();
  }

  // Numbers by size, then words; what is missing comes last, so that boxes stay where they are while counts change.
  function insertInOrder(inside, label) {
    const rank = (one) => (one === "" ? 2 : Number.isNaN(Number(one)) ? 1 : 0);
    const order = (a, b) => rank(a) - rank(b) || (rank(a) === 0 ? Number(a) - Number(b) : a.localeCompare(b, "en"));
    inside.insertBefore(label, [...inside.children].find((one) => order(label.dataset.value, one.dataset.value) < 0) ?? null);
  }

  function showRange(range) {
    let box = [...columns.children].find((one) => one.dataset.name === "\0range");
    if (!range) { if (filter.low === null && filter.high === null) box?.remove(); return; }
    if (!box) {
      const ends = ["low", "high"].map((end) => {
        const field = make("input", { type: "number", step: "any", value: filter[end] ?? "" });
        field.dataset.end = end;
        field.addEventListener("change", () => { filter[end] = field.value === "" ? null : Number(field.value); changed(); });
        return make("label", {}, end === "low" ? "from" : "to", field);
      });
      box = make("details", { open: true }, make("summary", {}, "value"), make("div", { className: "range" }, ...ends));
      box.dataset.name = "\0range";
      columns.prepend(box);
    }
    for (const [place, field] of [...box.querySelectorAll("input")].entries()) field.placeholder = String(range[place]);
  }

  // ---- The list: only the rows in sight are elements, and rows are asked for in pages.

  const list = new (class {
    constructor() {
      this.box = byId("list");
      this.rows = byId("rows");
      this.total = this.entries = 0;
      this.active = 0;
      this.version = 0;
      this.pages = new Map();
      this.made = new Map();
      this.isComplete = false;
      this.box.addEventListener("scroll", () => this.draw(), { passive: true });
      new ResizeObserver(() => this.draw()).observe(this.box);
      this.box.addEventListener("keydown", (event) => this.press(event));
    }

    // Ask again; with a new filter the list begins anew.
    async refresh(isNew) {
      const version = isNew ? ++this.version : this.version;
      let found;
      try {
        found = await source.find(filter, 0, PAGE);
      } catch (problem) { report(problem); return; }
      if (version !== this.version) return;
      if (isNew) { this.pages.clear(); this.active = 0; this.box.scrollTop = 0; }
      const isOther = isNew || this.total !== found.total, isFirst = isNew || this.total === 0;
      this.pages.set(0, found.rows);
      Object.assign(this, { total: found.total, entries: found.entries, isComplete: found.is_complete });
      if (found.problem) report(found.problem);
      byId("progress").textContent = found.is_complete || found.problem ? "" : `${counted(found.entries)} so far …`;
      const all = counted(found.entries), field = byId("count");
      // While rows arrive, a live region would speak without end.
      field.setAttribute("aria-busy", String(!found.is_complete && !found.problem && !isNew));
      field.textContent = found.total === found.entries ? all : `${found.total.toLocaleString("en")} of ${all}`;
      showColumns(found);
      if (isOther) {
        const last = Math.floor((found.total - 1) / PAGE);
        for (const page of this.pages.keys()) if (page >= last && page > 0) this.pages.delete(page);
        this.draw(true);
      }
      if (isFirst) this.showActive();
      if (!found.is_complete && !found.problem) setTimeout(() => this.refresh(false), POLL_MS);
    }

    get rowHeight() { return 4 * parseFloat(getComputedStyle(document.documentElement).fontSize); }

    draw(isNew) {
      const height = this.rowHeight, inSight = this.box.clientHeight;
      const whole = this.total * height, high = Math.min(whole, LONGEST_LIST);
      this.rows.style.height = `${high}px`;
      // Browsers limit an element's height: a longer list scrolls faster than its scroll bar.
      const scale = high > inSight ? (whole - inSight) / (high - inSight) : 1;
      const top = this.box.scrollTop, offset = top * scale;
      const first = Math.max(0, Math.floor(offset / height) - ROWS_BEYOND);
      const last = Math.min(this.total - 1, Math.ceil((offset + inSight) / height) + ROWS_BEYOND);
      const wanted = new Set();
      for (let place = first; place <= last; place++) wanted.add(place);
      if (this.active < this.total) wanted.add(this.active);
      for (const [place, made] of this.made) {
        if (isNew || !wanted.has(place)) { made.remove(); this.made.delete(place); }
      }
      for (const place of [...wanted].sort((a, b) => a - b)) {
        let made = this.made.get(place);
        if (!made) {
          made = this.fill(place);
          this.made.set(place, made);
          const after = [...this.rows.children].find((one) => Number(one.dataset.place) > place);
          this.rows.insertBefore(made, after ?? null);
        } else if (made.dataset.empty && this.rowAt(place)) {
          const full = this.fill(place);
          made.replaceWith(full);
          this.made.set(place, made = full);
        }
        made.style.transform = `translateY(${Math.round(top + place * height - offset)}px)`;
        made.setAttribute("aria-selected", String(place === this.active));
      }
      this.box.setAttribute("aria-activedescendant", this.made.has(this.active) ? `row-${this.active}` : "");
    }

    rowAt(place) {
      const page = Math.floor(place / PAGE), known = this.pages.get(page);
      if (Array.isArray(known)) return known[place % PAGE];
      if (!known) this.load(page);
      return null;
    }

    async load(page) {
      const version = this.version;
      this.pages.set(page, "asked");
      // While the list is dragged, pages that were passed are not asked for.
      await new Promise((then) => setTimeout(then, 40));
      if (version !== this.version) return;
      if (![...this.made.keys()].some((place) => Math.floor(place / PAGE) === page)) { this.pages.delete(page); return; }
      try {
        const found = await source.find(filter, page * PAGE, PAGE);
        if (version !== this.version) return;
        this.pages.set(page, found.rows);
        while (this.pages.size > 40) this.pages.delete(this.pages.keys().next().value);
      } catch (problem) {
        this.pages.delete(page);
        report(problem);
        return;
      }
      this.draw();
      if (Math.floor(this.active / PAGE) === page) this.showActive();
    }

    fill(place) {
      const row = this.rowAt(place);
      const made = make("div", { className: "row", id: `row-${place}` });
      made.dataset.place = place;
      made.setAttribute("role", "option");
      made.setAttribute("aria-posinset", place + 1);
      made.setAttribute("aria-setsize", this.total);
      if (!row) {
        made.dataset.empty = "yes";
        made.append(make("span", { className: "where" }, "…"));
        return made;
      }
      made.append(make("span", { className: "where" }, row.where), outcome("span", "said", row), make("span", { className: "text" }, marked(row)));
      made.addEventListener("click", () => {
        this.go(place);
        // On a narrow screen the entry stands below the list.
        if (matchMedia("(max-width: 62rem)").matches) byId("chosen-head").scrollIntoView({ block: "center" });
      });
      return made;
    }

    go(place) {
      if (!this.total) return;
      this.active = Math.max(0, Math.min(this.total - 1, place));
      const height = this.rowHeight, inSight = this.box.clientHeight, whole = this.total * height;
      const high = Math.min(whole, LONGEST_LIST), scale = high > inSight ? (whole - inSight) / (high - inSight) : 1;
      const offset = this.box.scrollTop * scale, top = this.active * height;
      if (top < offset) this.box.scrollTop = top / scale;
      else if (top + height > offset + inSight) this.box.scrollTop = (top + height - inSight) / scale;
      this.draw();
      this.showActive();
    }

    showActive() {
      clearTimeout(this.showing);
      this.showing = setTimeout(async () => {
        if (!main.classList.contains("checking")) {
          const row = this.total ? this.rowAt(this.active) : undefined;
          if (row === undefined) showNothing(); else if (row) await showEntry(row.at);
        }
      }, 60);
    }

    press(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      if (event.key in steps) { this.go(this.active + steps[event.key]); event.preventDefault(); }
      if (event.key === "Enter") { byId("chosen-head").focus(); event.preventDefault(); }
    }
  })();

  // ---- One entry.

  function outcome(tag, className, row) {
    const name = `${className} ${isRead(row) ? "ok" : "bad"}`;
    return make(tag, { className: name }, isRead(row) ? row.value || none : row.reason || row.status);
  }

  function marked({ reply, span }) {
    return span && span[0] < span[1] ? judgecore.highlight(reply, ...span) : reply ?? "";
  }

  function showNothing() {
    const isEmpty = list.entries === 0;
    byId("chosen-head").textContent = isEmpty ? `There is no ${noun} yet` : `No ${noun} matches`;
    byId("shown").replaceChildren(make("p", { className: "soft" }, isEmpty ? "The file has no rows so far." : "Clear a filter to see more."));
  }

  let asked = 0;
  async function showEntry(at) {
    const own = ++asked;
    let row;
    try {
      row = await source.show(at);
    } catch (problem) { report(problem); return null; }
    if (own !== asked) return null;
    byId("chosen-head").textContent = row.where[0].toUpperCase() + row.where.slice(1);
    const parts = [outcome("p", "outcome", row)];
    if (row.detail) parts.push(make("p", {}, row.detail));
    if (row.note) parts.push(make("p", { className: "note" }, row.note));
    if (row.reply !== null) {
      const text = make("pre", { tabIndex: 0 }, marked(row));
      text.setAttribute("role", "region");
      text.setAttribute("aria-label", "Reply");
      parts.push(make("h3", {}, "Reply"), text);
    }
    parts.push(make("h3", {}, noun[0].toUpperCase() + noun.slice(1)), pairs(Object.entries(row.labels).filter(([name, value]) => value && name !== "value")));
    const cells = Object.entries(row.cells), isLong = (text) => text.length > 120 || text.includes("\n");
    const short = cells.filter(([, text]) => !isLong(text));
    if (short.length) parts.push(make("h3", {}, "Other columns"), pairs(short));
    for (const [name, text] of cells.filter(([, text]) => isLong(text))) {
      const whole = make("pre", { tabIndex: 0 }, text);
      whole.setAttribute("role", "region");
      whole.setAttribute("aria-label", name);
      parts.push(make("details", { open: row.reply === null }, make("summary", {}, name), whole));
    }
    byId("shown").replaceChildren(...parts);
    byId("chosen").scrollTop = 0;
    const mark = byId("shown").querySelector("mark"), text = mark?.closest("pre");
    if (text) text.scrollTop = mark.offsetTop - text.offsetTop - text.clientHeight / 3;
    return row;
  }

  function pairs(facts) {
    const made = make("dl");
    for (const [name, value] of facts) made.append(make("dt", {}, name), make("dd", {}, value));
    return made;
  }

  // ---- The spot check.

  // The interval of a share of `n` (Wilson 1927), with the 0.975 quantile of the normal distribution.
  function wilson(wrong, n) {
    const z = 1.959963984540054, share = wrong / n, scale = 1 + (z * z) / n;
    const middle = (share + (z * z) / (2 * n)) / scale;
    const half = (z / scale) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
    return [wrong === 0 ? 0 : middle - half, wrong === n ? 1 : middle + half];
  }
  judgecore.wilson = wilson;

  const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
  const check = { rows: [], place: 0, size: Number(main.dataset.sample), row: null, isBusy: false };
  const isChecking = () => main.classList.contains("checking");

  async function startCheck() {
    if (isChecking()) return;
    if (!list.isComplete && byId("problem").hidden) { report("The spot check can start when all rows are read."); return; }
    if (!await drawSample()) return;
    main.classList.add("checking");
    byId("check").hidden = byId("results").hidden = false;
    await askNext(nextPlace(0));
  }

  async function drawSample() {
    let found;
    try {
      found = await source.sample(filter, check.size);
    } catch (problem) { report(problem); return false; }
    check.rows = found.rows;
    check.total = found.total;
    const of = isFiltered() ? ` that match ${describeFilter()}` : "";
    const others = found.others ? ` ${counted(found.others, "saved judgement")} about other readings ${found.others === 1 ? "is" : "are"} not counted.` : "";
    byId("population").textContent = `A random sample of ${counted(found.rows.length)} out of ${counted(found.total)}${of}, in random order.${others}`;
    if (!found.rows.length) report(`There is no ${noun} to judge here.${noun === "request" ? " The replies of a ledger are read with --format." : ""}`);
    return found.rows.length > 0;
  }

  // The next entry without a judgement, or else the first; -1 if all are judged.
  function nextPlace(first) {
    const isOpen = ({ judgement }) => judgement === null;
    const next = check.rows.findIndex((one, place) => place >= first && isOpen(one));
    return next < 0 ? check.rows.findIndex(isOpen) : next;
  }

  async function askNext(place) {
    check.place = place < 0 ? check.rows.length : place;
    const question = byId("question"), isOver = check.place >= check.rows.length;
    for (const button of document.querySelectorAll("[data-judgement]")) button.disabled = isOver;
    byId("back").disabled = check.place === 0;
    byId("more-sampled").hidden = !isOver || check.rows.length >= check.total;
    byId("more-sampled").textContent = `Sample ${Math.min(check.size, check.total - check.rows.length)} more`;
    if (isOver) {
      check.row = null;
      question.textContent = `All ${counted(check.rows.length)} of the sample are judged.`;
      byId("chosen-head").textContent = "The sample is judged";
      byId("shown").replaceChildren();
    } else {
      check.row = await showEntry(check.rows[check.place].at);
      if (!check.row) return;
      const { value, reason, status, reply } = check.row, said = `“${value || none}”`;
      const asked = reply === null ? `is ${said} right?` : `does the reply say ${said}?`;
      const ofUnread = `nothing was read (${reason || status}): is that right?`;
      question.textContent = `${check.place + 1} of ${check.rows.length}: ${isRead(check.row) ? asked : ofUnread}`;
    }
    showRates();
    question.focus();
  }

  async function judge(judgement) {
    if (check.isBusy || !check.row) return;
    check.isBusy = true;
    try {
      await source.judge(check.rows[check.place].at, judgement);
      report("");
      check.rows[check.place].judgement = judgement;
      await askNext(nextPlace(check.place + 1));
    } catch (problem) {
      report(problem);
    } finally { check.isBusy = false; }
  }

  async function undo() {
    if (check.isBusy || check.place === 0) return;
    check.isBusy = true;
    try {
      const place = Math.min(check.place, check.rows.length) - 1;
      await source.judge(check.rows[place].at, null);
      check.rows[place].judgement = null;
      await askNext(place);
    } catch (problem) {
      report(problem);
    } finally { check.isBusy = false; }
  }

  function showRates() {
    const groups = { all: check.rows, read: check.rows.filter(isRead), "not read": check.rows.filter((one) => !isRead(one)) };
    const lines = Object.entries(groups).filter(([name, rows]) => name === "all" || (rows.length && rows.length < check.rows.length)).map(([name, rows]) => {
      const [right, wrong] = ["right", "wrong"].map((said) => rows.filter(({ judgement }) => judgement === said).length);
      const n = right + wrong, [low, high] = wilson(wrong, n);
      return { name, n, wrong, rate: n ? percent(wrong / n) : "–", interval: n ? `${percent(low)} to ${percent(high)}` : "" };
    });
    const number = (...content) => make("td", { className: "number" }, ...content.map(String));
    byId("rates").tBodies[0].replaceChildren(...lines.map(({ name, n, wrong, rate, interval }) => {
      const rates = number(rate);
      rates.append(make("div", { className: "about" }, interval));
      return make("tr", {}, make("th", { scope: "row" }, name), number(n), number(wrong), rates);
    }));
    const unclear = check.rows.filter(({ judgement }) => judgement === "unclear").length;
    const { n, wrong, rate, interval } = lines[0];
    const open = unclear ? ` ${unclear} can’t be told and are not counted.` : "";
    byId("tally").textContent = n ? `${n} judged, ${wrong} wrong: error rate ${rate}, 95\u00a0% interval ${interval}.${open}` : `None is judged yet.${open}`;
    const found = check.rows.filter(({ judgement }) => judgement === "wrong").map(({ at, where }) => {
      const button = make("button", { type: "button" }, where);
      button.addEventListener("click", () => showEntry(at));
      return button;
    });
    byId("wrong").hidden = !found.length || check.row !== null;
    byId("wrong").replaceChildren("Wrong: ", ...found.flatMap((one) => [one, " "]));
  }

  function stopCheck() {
    main.classList.remove("checking");
    byId("check").hidden = byId("results").hidden = true;
    check.row = null;
    list.draw();
    list.showActive();
    byId("start").focus();
  }

  // One line for each judgement, as the server keeps them, so that either can continue from the file of the other.
  async function save() {
    const lines = [];
    for (const { at, judgement } of check.rows) {
      if (judgement === null) continue;
      const { where, status, value, reason, digest } = await source.show(at);
      lines.push(`${JSON.stringify({ where, status, value, reason, digest, judgement })}\n`);
    }
    const url = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    make("a", { href: url, download: "judgements.jsonl" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async function load(file) {
    let n = 0, unknown = 0;
    const places = new Map(source.data.rows.map(({ digest }, at) => [digest, at]));
    try {
      for (const line of (await file.text()).split("\n")) {
        if (!line.trim()) continue;
        const { digest, judgement } = JSON.parse(line);
        if (typeof digest !== "string" || !["right", "wrong", "unclear", null].includes(judgement)) throw new SyntaxError();
        if (places.has(digest)) { await source.judge(places.get(digest), judgement); n++; } else unknown++;
      }
    } catch {
      report(`${file.name} is no file of judgements; ${n} were taken before the line that is none.`);
      return;
    }
    report(unknown ? `${counted(n, "judgement")} taken; ${unknown} are about other rows.` : "");
    await drawSample();
    await askNext(nextPlace(0));
  }

  byId("start").addEventListener("click", startCheck);
  byId("stop").addEventListener("click", stopCheck);
  byId("back").addEventListener("click", undo);
  byId("save").addEventListener("click", () => save().catch(report));
  byId("load")?.addEventListener("change", ({ target }) => { if (target.files[0]) load(target.files[0]); target.value = ""; });
  byId("more-sampled").addEventListener("click", async () => {
    check.size += Number(main.dataset.sample);
    if (await drawSample()) await askNext(nextPlace(0));
  });
  for (const button of document.querySelectorAll("[data-judgement]")) button.addEventListener("click", () => judge(button.dataset.judgement));
  if (source.isKept) byId("save").replaceWith(make("span", { className: "soft" }, `Each judgement is saved in ${main.dataset.kept}.`));

  // ---- Keys.

  const keys = byId("keys");
  byId("help").addEventListener("click", () => keys.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || keys.open) return;
    if (event.key === "Escape") {
      if (isChecking()) stopCheck(); else if (event.target === textField) list.box.focus();
      return;
    }
    const isWriting = event.target.matches?.("input:not([type=checkbox]), select, textarea");
    if (isWriting || !byId("single").checked) return;
    const doors = {
      "?": () => keys.showModal(),
      "/": () => { if (!isChecking()) textField.focus(); },
      s: startCheck,
      j: () => { if (!isChecking()) list.go(list.active + 1); },
      k: () => { if (!isChecking()) list.go(list.active - 1); },
    };
    if (isChecking()) Object.assign(doors, { 1: () => judge("right"), 2: () => judge("wrong"), 3: () => judge("unclear"), u: undo });
    if (Object.hasOwn(doors, event.key)) { event.preventDefault(); doors[event.key](); }
  });

  if (matchMedia("(max-width: 40rem)").matches) byId("more").open = false;
  restore();
  list.refresh(true);
});
