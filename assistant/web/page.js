/* What the chat component cannot do: open a citation's card beside its answer, show its quote on
   hover, copy an answer, keep a question at the top while it is answered. Nothing is fetched. */
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  window.askPapers.closePanel = () => closePanel();
  window.askPapers.lastSources = () => {
    const ready = answers().filter((answer) => cardsOf(answer));
    const last = ready[ready.length - 1];
    return last ? all('.ap-cards .ap-card[class*="ap-n-"] .ap-id', last).map((id) => id.textContent) : [];
  };
  const view = { answer: -1, html: "", turns: 0, cited: null };

  /* Sources: a copy of the cards that lie hidden in the chosen answer. */

  const answers = () => all("#ap-chat .ap-answer");
  const cardsOf = (answer) => answer && one(".ap-cards", answer);

  function questionOf(answer) {
    const rows = all("#ap-chat .ap-question, #ap-chat .ap-answer");
    const before = rows.slice(0, rows.indexOf(answer)).reverse();
    const found = before.find((row) => row.classList.contains("ap-question"));
    return found ? found.textContent : "";
  }

  function showSources() {
    const panel = one(".ap-panel");
    if (!panel) return;
    const answer = answers()[view.answer] || one("#ap-chat .ap-welcome");
    const chosen = window.askPapers.chosenCard();
    const cards = cardsOf(answer);
    const html = chosen || (cards ? cards.innerHTML : "");
    panel.dataset.state = html ? "full" : "empty";
    const about = html && !chosen && view.answer >= 0 ? questionOf(answer) : "";
    const title = chosen ? "Paper" : html && view.answer < 0 ? "Papers" : "Sources";
    if (one(".ap-panel-head h2", panel).textContent !== title) one(".ap-panel-head h2", panel).textContent = title;
    if (one(".ap-panel-for", panel).textContent !== about) {
      one(".ap-panel-for", panel).textContent = about;
    }
    if (html === view.html) return;
    const shown = one(".ap-panel-cards", panel);
    const open = all(".ap-card", shown).map((card) => [card.open, card.classList.contains("ap-active")]);
    const same = html.length && shown.dataset.answer === String(view.answer) && !chosen;
    shown.innerHTML = html;
    shown.dataset.answer = view.answer;
    if (same) {
      all(".ap-card", shown).forEach((card, i) => {
        if (!open[i]) return;
        card.open = open[i][0];
        card.classList.toggle("ap-active", open[i][1]);
      });
    } else {
      shown.scrollTop = 0;
    }
    view.html = html;
    if (chosen) one(".ap-card", shown).open = true;
    chooseQuote();
  }

  /* Of several quotes of one paper, the one of the link that was followed stands out. */
  function chooseQuote() {
    const card = one(".ap-panel .ap-card.ap-active");
    const chosen = view.cited && /ap-q-\d+/.exec(view.cited.className);
    all(".ap-panel .ap-dim").forEach((mark) => mark.classList.remove("ap-dim"));
    if (!card || !chosen || !one(`mark.${chosen[0]}`, card)) return;
    all(`mark:not(.${chosen[0]})`, card).forEach((mark) => mark.classList.add("ap-dim"));
  }

  function openCard(link, byKeyboard) {
    const answer = link.closest(".ap-answer");
    view.answer = answers().indexOf(answer);
    view.cited = link;
    showSources();
    const number = link.getAttribute("href").replace("#source-", "");
    const shown = one(".ap-panel-cards");
    const card = one(`.ap-n-${number}`, shown);
    document.body.classList.add("ap-sheet-open");
    if (!card) return;
    all(".ap-card", shown).forEach((other) => {
      other.classList.toggle("ap-active", other === card);
      if (other !== card) other.open = false;
    });
    card.open = true;
    all(".ap-cite.ap-on").forEach((other) => other.classList.remove("ap-on"));
    link.classList.add("ap-on");
    chooseQuote();
    reveal(shown, card);
    if (byKeyboard) one("summary", card).focus({ preventScroll: true });
  }

  function reveal(shown, card) {
    const place = (element) => element.getBoundingClientRect().top - shown.getBoundingClientRect().top;
    shown.scrollTop += place(card);
    const mark = one(".ap-mark:not(.ap-dim)", card);
    const room = shown.clientHeight - 60;
    if (mark && place(mark) + mark.offsetHeight > room) {
      shown.scrollTop += Math.min(place(mark) - room / 3, place(mark));
    }
  }

  function openPanel(button) {
    view.answer = answers().indexOf(button.closest(".ap-answer"));
    view.cited = button;
    showSources();
    document.body.classList.add("ap-sheet-open");
    one(".ap-panel-head h2").focus({ preventScroll: true });
  }

  function closePanel() {
    document.body.classList.remove("ap-sheet-open");
    all(".ap-cite.ap-on").forEach((link) => link.classList.remove("ap-on"));
    if (view.cited && view.cited.isConnected) view.cited.focus({ preventScroll: true });
    view.cited = null;
  }

  /* What the sentence of a link was found to be; outside such a sentence, what its quote is. */

  const VERDICTS = { supported: "verified", partial: "partly supported", unsupported: "not supported" };

  function supportAt(link) {
    const known = (element) => element && Object.keys(VERDICTS).find((name) => element.classList.contains(`ap-${name}`));
    return known(link.closest(".ap-said")) || known(link) || "partial";
  }

  const verdictAt = (link) => VERDICTS[supportAt(link)];

  /* The quote on hover and on focus. */

  const tip = document.createElement("div");
  tip.className = "ap-tip";
  tip.id = "ap-tip";
  tip.hidden = true;
  tip.setAttribute("role", "tooltip");

  function showTip(link) {
    const number = link.getAttribute("href").replace("#source-", "");
    const cards = cardsOf(link.closest(".ap-answer"));
    const card = cards && one(`.ap-n-${number}`, cards);
    if (!card) return;
    tip.replaceChildren();
    const title = document.createElement("span");
    title.className = "ap-tip-title";
    title.append(...[...one(".ap-title", card).childNodes].map((node) => node.cloneNode(true)));
    const badge = document.createElement("span");
    const verdict = supportAt(link);
    badge.className = `ap-badge ap-${verdict}`;
    badge.textContent = VERDICTS[verdict];
    const own = /ap-q-\d+/.exec(link.className);
    const quotes = all(own ? `.ap-quote.${own[0]}` : ".ap-quote", card);
    tip.append(title, ...quotes.map((quote) => {
      const shown = document.createElement("div");
      shown.innerHTML = quote.innerHTML;
      return shown;
    }), badge);
    if (!tip.isConnected) document.body.append(tip);
    tip.hidden = false;
    link.setAttribute("aria-describedby", "ap-tip");
    const at = link.getBoundingClientRect();
    const below = at.bottom + 8 + tip.offsetHeight < window.innerHeight;
    tip.style.top = `${below ? at.bottom + 8 : Math.max(8, at.top - 8 - tip.offsetHeight)}px`;
    tip.style.left = `${Math.max(12, Math.min(at.left - 12, window.innerWidth - tip.offsetWidth - 12))}px`;
  }

  const hideTip = () => { tip.hidden = true; };

  /* Copying: the answer with its references as plain text, or the papers it cites as BibTeX. */

  async function copy(button, held) {
    const words = held === ".ap-bib" ? "BibTeX" : "Copy";
    const text = one(held, button.closest(".ap-answer")).textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      field.className = "ap-hidden";
      document.body.append(field);
      field.select();
      done = document.execCommand("copy");
      field.remove();
    }
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => { button.textContent = words; }, 1600);
  }

  /* Light and dark. */

  const theme = {
    get: () => { try { return localStorage.getItem("ap-theme"); } catch { return null; } },
    set: (name) => { try { localStorage.setItem("ap-theme", name); } catch { /* private window */ } },
  };

  function applyTheme() {
    const chosen = theme.get();
    if (chosen) document.body.classList.toggle("dark", chosen === "dark");
  }

  /* The last question, back in its field; the next one asked replaces it. */

  function editLast() {
    const box = one("#ap-box textarea");
    const asked = all("#ap-chat .ap-question");
    box.value = asked[asked.length - 1].innerText;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    window.askPapers.edit();
    box.focus();
  }

  /* Names for screen readers, and the question kept at the top. */

  function named(element, name) {
    if (element.getAttribute("aria-label") !== name) element.setAttribute("aria-label", name);
  }

  function nameParts() {
    all('#ap-chat [data-testid="bot"]').forEach((message) => named(message, "Answer"));
    all('#ap-chat [data-testid="user"]').forEach((message) => named(message, "Question"));
    all("#ap-chat a.ap-cite").forEach((link) => {
      const cards = cardsOf(link.closest(".ap-answer"));
      const card = cards && one(`.ap-n-${link.getAttribute("href").replace("#source-", "")}`, cards);
      if (card) named(link, `Source ${link.textContent.replace(/\D/g, "")}, ${verdictAt(link)}: ${one(".ap-title", card).textContent}`);
    });
    const log = one('#ap-chat [role="log"]');
    if (log) {
      named(log, "Conversation");
      log.setAttribute("aria-busy", String(Boolean(one(".ap-live", log))));
    }
    all("#ap-chat .examples").forEach((examples) => {
      if (examples.getAttribute("role") !== "group") examples.setAttribute("role", "group");
      named(examples, "Examples");
    });
    all("#ap-box .submit-button").forEach((button) => named(button, "Ask"));
    all("#ap-box .stop-button").forEach((button) => named(button, "Stop"));
    all("#ap-chat :is(div.ap-table, .ap-question.ap-long)").forEach((scrolled) => { scrolled.tabIndex = 0; });
  }

  /* Gradio says in a corner that the server is gone; the answer that waits for it says so too. */
  function noticeLoss() {
    const lost = one('[data-testid="toast-body"].error');
    const status = one("#ap-chat .ap-live .ap-status");
    const words = "The server stopped answering. Ask again once it is back.";
    if (lost && status && status.textContent !== words) status.textContent = words;
  }

  function follow() {
    const questions = all("#ap-chat .ap-question");
    if (questions.length > view.turns) {
      const log = one('#ap-chat [role="log"]');
      const row = questions[questions.length - 1].closest(".message-row");
      log.scrollTop += row.getBoundingClientRect().top - log.getBoundingClientRect().top;
      document.body.classList.remove("ap-sheet-open");
    }
    view.turns = questions.length;
  }

  function followAnswers() {
    const ready = answers();
    const finished = ready.filter((answer) => cardsOf(answer)).length;
    if (finished !== view.finished) {
      view.answer = ready.length - 1;
      while (view.answer > 0 && !cardsOf(ready[view.answer])) view.answer -= 1;
      view.finished = finished;
    }
  }

  let waiting = false;
  function tidy() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      applyTheme();
      nameParts();
      noticeLoss();
      follow();
      followAnswers();
      showSources();
      window.askPapers.tidiers.forEach((tidier) => tidier());
    });
  }

  /* A question sent off before the page can take it is sent as soon as it can. */
  function early(event) {
    const store = window.askPapers;
    if (store.isReady() || !event.isTrusted) return;
    const typed = event.type === "keydown" && event.key === "Enter" && !event.shiftKey && event.target.matches("#ap-box textarea");
    const pressed = event.type === "click" && event.target.closest("#ap-box .submit-button, #ap-chat .example");
    if (!typed && !pressed) return;
    event.preventDefault();
    event.stopPropagation();
    store.whenReady("ask", () => {
      const button = pressed && pressed.isConnected ? pressed : one("#ap-box .submit-button");
      if (button) button.click();
    });
  }
  document.addEventListener("keydown", early, true);
  document.addEventListener("click", early, true);

  /* Wiring. */

  document.addEventListener("click", (event) => {
    const target = event.target.closest("a.ap-cite, .ap-open, .ap-copy, .ap-bibtex, .ap-retry, .ap-edit, .ap-undo, .ap-close, .ap-theme");
    if (!target) return;
    event.preventDefault();
    hideTip();
    if (target.matches("a.ap-cite")) openCard(target, event.detail === 0);
    else if (target.matches(".ap-open")) openPanel(target);
    else if (target.matches(".ap-copy")) copy(target, ".ap-raw");
    else if (target.matches(".ap-bibtex")) copy(target, ".ap-bib");
    else if (target.matches(".ap-retry")) one("#ap-again").click();
    else if (target.matches(".ap-edit")) editLast();
    else if (target.matches(".ap-undo")) one("#ap-back").click();
    else if (target.matches(".ap-close")) closePanel();
    else {
      theme.set(document.body.classList.contains("dark") ? "light" : "dark");
      applyTheme();
      window.askPapers.redrawMap();
    }
  });
  document.addEventListener("mouseover", (event) => {
    const link = event.target.closest && event.target.closest("a.ap-cite");
    if (link) showTip(link); else hideTip();
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches("a.ap-cite:focus-visible")) showTip(event.target); else hideTip();
  });
  document.addEventListener("scroll", hideTip, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hideTip();
    closePanel();
  });
  new MutationObserver(tidy).observe(document.documentElement, {
    childList: true, subtree: true, characterData: true, attributeFilter: ["aria-label", "class"],
  });
  tidy();
})();
