/* The list of conversations, and what the next question is told beside its words. */
(() => {
  "use strict";
  const store = window.askPapers;
  const one = (selector, root = document) => root.querySelector(selector);

  function made(tag, name, words, attributes = {}) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (words) element.textContent = words;
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    return element;
  }

  const button = (name, words, press, attributes = {}) => {
    const element = made("button", name, words, { type: "button", ...attributes });
    element.addEventListener("click", press);
    return element;
  };

  /* Conversations. */

  const drawer = made("div", "ap-drawer", "", { role: "dialog", "aria-label": "Conversations" });
  drawer.hidden = true;

  function when(time) {
    const then = new Date(time);
    const today = then.toDateString() === new Date().toDateString();
    return today ? then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : then.toLocaleDateString();
  }

  function row(talk) {
    const item = made("li", talk.name === store.state.talk ? "ap-talk ap-now" : "ap-talk");
    const opens = button("ap-talk-open", "", () => { hide(); store.open(talk.name); store.show("chat"); });
    if (talk.name === store.state.talk) opens.setAttribute("aria-current", "true");
    opens.append(made("span", "ap-talk-title", talk.title), made("span", "ap-talk-when", when(talk.when)));
    item.append(
      opens,
      button("ap-talk-act", "Rename", () => rename(item, talk), { "aria-label": `Rename: ${talk.title}` }),
      button("ap-talk-act", "Delete", () => { store.remove(talk.name); one(".ap-drawer-head h2", drawer).focus(); }, { "aria-label": `Delete: ${talk.title}` }),
    );
    return item;
  }

  function rename(item, talk) {
    const field = made("input", "ap-talk-field", "", { "aria-label": "Name of the conversation", maxlength: "120" });
    field.value = talk.title;
    const done = () => store.rename(talk.name, field.value.trim() || talk.title);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done();
      if (event.key === "Escape") { event.stopPropagation(); draw(); }
    });
    field.addEventListener("blur", () => { if (field.isConnected) done(); });
    item.replaceChildren(field);
    field.focus();
    field.select();
  }

  function draw() {
    if (drawer.hidden) return;
    const head = made("div", "ap-drawer-head");
    head.append(made("h2", "", "Conversations", { tabindex: "-1" }), button("ap-close", "×", hide, { "aria-label": "Close the list" }));
    const talks = store.talks();
    const list = made("ul", "ap-talks");
    list.append(...talks.map(row));
    const none = made("p", "ap-none", "None yet. What you ask is kept in this browser alone.");
    const foot = made("p", "ap-none", "Kept in this browser alone, the oldest make room for new ones.");
    const exports = made("p", "ap-exports", "Take this one along:");
    exports.append(...Object.entries({ markdown: "Markdown", json: "JSON", bibtex: "BibTeX" }).map(
      ([kind, words]) => button("ap-take", words, () => store.send("export", { kind })),
    ));
    const mine = talks.some((talk) => talk.name === store.state.talk);
    drawer.replaceChildren(head, ...(talks.length ? [list, ...(mine ? [exports] : []), foot] : [none]));
  }

  function show() {
    if (!drawer.isConnected) document.body.append(drawer);
    drawer.hidden = false;
    one(".ap-history").setAttribute("aria-expanded", "true");
    draw();
    one("h2", drawer).focus();
  }

  function hide() {
    if (drawer.hidden) return;
    drawer.hidden = true;
    const opener = one(".ap-history");
    opener.setAttribute("aria-expanded", "false");
    opener.focus();
  }

  /* Chips above the field: what the next question is limited to, and what it replaces. */

  function chip(words, ends, label) {
    const shown = made("span", "ap-chip", words);
    shown.append(button("ap-chip-end", "×", ends, { "aria-label": label }));
    return shown;
  }

  function drawChips() {
    const place = one(".ap-chips");
    if (!place) return;
    const { scope, replace } = store.state;
    const chips = [];
    if (scope.length) {
      chips.push(chip(`Asking ${scope.length === 1 ? "1 chosen paper" : `${scope.length} chosen papers`}`, () => store.limit([]), "Ask the whole collection"));
    }
    if (replace) chips.push(chip("Editing the last question", () => store.edit(false), "Ask a new question instead"));
    place.replaceChildren(...chips);
  }

  store.listen(() => { draw(); drawChips(); });

  document.addEventListener("click", (event) => {
    const target = event.target.closest(".ap-history, .ap-fresh");
    if (target) {
      if (target.matches(".ap-fresh")) { hide(); store.open(null); store.show("chat"); }
      else if (drawer.hidden) show();
      else hide();
    } else if (!drawer.hidden && event.isTrusted && event.target.isConnected && !event.target.closest(".ap-drawer")) {
      hide();
    }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  window.addEventListener("storage", () => draw());
  const ready = new MutationObserver(() => { if (one(".ap-chips")) { ready.disconnect(); drawChips(); } });
  ready.observe(document.documentElement, { childList: true, subtree: true });
})();
