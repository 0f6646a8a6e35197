/* The papers tab: search as one types, filters, and the papers selected to be asked about. */
(() => {
  "use strict";
  const store = window.askPapers;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const picked = new Set();
  const PAGE = 40;
  let count = PAGE;
  let opened = false;
  let timer = 0;

  const find = () => store.send("find", () => ({ ...Object.fromEntries(new FormData(one(".ap-search"))), count }));

  store.openPapers = () => {
    if (!opened) find();
    opened = true;
    const field = one(".ap-search input");
    if (field) field.focus();
  };

  function fill(select, values) {
    const chosen = select.value;
    while (select.options.length > 1) select.remove(1);
    values.forEach((value) => select.add(new Option(value, value)));
    select.value = chosen;
  }

  function offer(name, list, values) {
    one(list).replaceChildren(...values.map((value) => new Option(value, value)));
    one(`.ap-search [name="${name}"]`).hidden = !values.length;
  }

  let names = "";
  function fillFilters() {
    const told = one("#ap-found .ap-names");
    if (!told || told.textContent === names) return;
    names = told.textContent;
    const { venues, years, authors, keywords } = JSON.parse(names);
    fill(one('.ap-search [name="venue"]'), venues);
    fill(one('.ap-search [name="year"]'), years);
    offer("author", "#ap-authors", authors);
    offer("keyword", "#ap-keywords", keywords);
  }

  const idOf = (row) => one(".ap-id", row).textContent;

  function showPicked() {
    all("#ap-found .ap-shelf-row").forEach((row) => {
      const button = one(".ap-pick", row);
      const on = picked.has(idOf(row));
      if (button.getAttribute("aria-pressed") === String(on)) return;
      button.setAttribute("aria-pressed", String(on));
      button.setAttribute("aria-label", `Select: ${one(".ap-title", row).textContent}`);
      button.textContent = on ? "✓" : "+";
    });
    const told = one(".ap-picked-count");
    if (!told) return;
    const words = picked.size ? `${picked.size} selected` : "None selected";
    if (told.textContent !== words) told.textContent = words;
    all(".ap-ask-picked, .ap-unpick").forEach((button) => { button.disabled = !picked.size; });
  }

  store.tidy(() => { fillFilters(); showPicked(); });

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { count = PAGE; find(); }, 150);
  };
  document.addEventListener("input", (event) => { if (event.target.closest(".ap-search")) later(); });
  document.addEventListener("submit", (event) => {
    if (!event.target.closest(".ap-search")) return;
    event.preventDefault();
    later();
  });
  document.addEventListener("click", (event) => {
    const target = event.target.closest(".ap-pick, .ap-more, .ap-ask-picked, .ap-unpick");
    if (!target) return;
    if (target.matches(".ap-pick")) {
      const id = idOf(target.closest(".ap-shelf-row"));
      if (!picked.delete(id)) picked.add(id);
    } else if (target.matches(".ap-more")) {
      count += PAGE;
      find();
    } else if (target.matches(".ap-unpick")) {
      picked.clear();
    } else {
      store.limit([...picked]);
      store.show("chat");
    }
    showPicked();
  });
})();
