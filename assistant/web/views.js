/* The tabs, taking a conversation along, and saying what one thinks of an answer. */
(() => {
  "use strict";
  const store = window.askPapers;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);

  store.show = (name) => {
    store.state.view = name;
    document.body.dataset.view = name;
    all(".ap-view").forEach((button) => {
      if (button.dataset.view === name) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
    store.closePanel();
    if (name === "papers") store.openPapers();
    if (name === "map") store.openMap();
    if (name === "status") store.send("status");
    const box = one("#ap-box textarea");
    if (name === "chat" && box) box.focus();
  };

  /* Taken along. */

  const KINDS = { json: "application/json", bib: "application/x-bibtex", md: "text/markdown" };
  store.receivers.export = ({ name, text }) => store.download(name, KINDS[name.split(".").pop()], text);

  /* Thumbs and words. */

  const dialog = document.createElement("dialog");
  dialog.className = "ap-dialog";
  dialog.setAttribute("aria-labelledby", "ap-dialog-title");
  dialog.innerHTML = `<form method="dialog"><h2 id="ap-dialog-title"></h2>
    <label for="ap-dialog-words">In your words, if you like</label>
    <textarea id="ap-dialog-words" rows="4" maxlength="4000"></textarea>
    <p class="ap-dialog-note">Kept in a file on the machine that serves this page; sent nowhere.</p>
    <p class="ap-dialog-problem" role="alert"></p>
    <p class="ap-dialog-buttons"><button type="button" class="ap-dialog-cancel">Cancel</button>
    <button type="submit" class="ap-dialog-send">Send</button></p></form>`;
  let judged = null;

  function judge(button) {
    const rows = all("#ap-chat .ap-question");
    const answer = button.closest(".bot-row");
    const turn = rows.filter((row) => row.compareDocumentPosition(answer) & Node.DOCUMENT_POSITION_FOLLOWING).length - 1;
    judged = { button, turn, verdict: button.classList.contains("ap-good") ? "good" : "bad" };
    if (!dialog.isConnected) document.body.append(dialog);
    one("h2", dialog).textContent = judged.verdict === "good" ? "What is good about this answer?" : "What is wrong with this answer?";
    one("textarea", dialog).value = "";
    one(".ap-dialog-problem", dialog).textContent = "";
    dialog.showModal();
    one("textarea", dialog).focus();
  }

  dialog.addEventListener("submit", (event) => {
    event.preventDefault();
    store.send("judge", { turn: judged.turn, verdict: judged.verdict, words: one("textarea", dialog).value });
  });
  dialog.addEventListener("click", (event) => {
    if (event.target.closest(".ap-dialog-cancel")) dialog.close();
  });
  store.receivers.judge = ({ problem }) => {
    if (problem) {
      one(".ap-dialog-problem", dialog).textContent = problem;
      return;
    }
    dialog.close();
    if (judged.button.isConnected) {
      judged.button.classList.add("ap-given");
      judged.button.setAttribute("aria-label", "Thank you, kept");
      judged.button.focus();
    }
  };

  store.tidy(() => all("#ap-chat .ap-judge:not([aria-label])").forEach((button) => {
    button.setAttribute("aria-label", button.classList.contains("ap-good") ? "A good answer" : "A bad answer");
  }));

  document.addEventListener("click", (event) => {
    const target = event.target.closest(".ap-view, .ap-judge");
    if (!target) return;
    if (target.matches(".ap-view")) store.show(target.dataset.view);
    else judge(target);
  });
})();
