/* List answers: as a table, sorted, taken along as a file, and the papers to ask about next. */
(() => {
  "use strict";
  const store = window.askPapers;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);

  /* What is shown as a table, by the question and its place: the chat draws its answers anew. */
  const tables = new Set();
  const keyOf = (answer) => `${all("#ap-chat .ap-answer").indexOf(answer)}`;

  function showTable(answer, on) {
    const list = one(".ap-list", answer);
    if (!list || list.hidden !== on) return;
    list.hidden = !on;
    answer.classList.toggle("ap-as-table", on);
    const button = one(".ap-rows", answer);
    button.textContent = on ? "Text" : "Table";
  }

  function toggle(answer) {
    const key = keyOf(answer);
    if (!tables.delete(key)) tables.add(key);
    showTable(answer, tables.has(key));
  }

  function sort(button) {
    const head = button.closest("th");
    const place = [...head.parentElement.children].indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending" || (head.getAttribute("aria-sort") === null && place === 2);
    const body = one("tbody", head.closest("table"));
    const value = (row) => row.children[place].textContent.trim();
    const compare = place === 2
      ? (a, b) => (parseFloat(value(a)) || 0) - (parseFloat(value(b)) || 0)
      : (a, b) => value(a).localeCompare(value(b));
    const rows = [...body.children].sort(compare);
    all("th", head.parentElement).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...(down ? rows.reverse() : rows));
  }

  const FILES = { csv: ["papers.csv", "text/csv"], listbib: ["papers.bib", "application/x-bibtex"], markdown: ["answer.md", "text/markdown"] };

  store.download = (name, kind, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };

  document.addEventListener("click", (event) => {
    const target = event.target.closest(".ap-rows, .ap-these, .ap-sort, .ap-take");
    const answer = target && target.closest(".ap-answer");
    if (!answer) return;
    if (target.matches(".ap-rows")) toggle(answer);
    else if (target.matches(".ap-sort")) sort(target);
    else if (target.matches(".ap-these")) {
      store.limit(JSON.parse(one(".ap-ids", answer).textContent));
      one("#ap-box textarea").focus();
    } else {
      const kind = /ap-take-(\w+)/.exec(target.className)[1];
      store.download(...FILES[kind], one(`pre.ap-${kind}`, answer).textContent);
    }
  });
  store.tidy(() => {
    all("#ap-chat .ap-answer").forEach((answer, place) => {
      if (one(".ap-list", answer)) showTable(answer, tables.has(String(place)));
    });
    all("#ap-chat .ap-list-scroll").forEach((scroll) => { scroll.tabIndex = 0; });
    if (!one("#ap-chat .ap-answer")) tables.clear();
  });
})();
