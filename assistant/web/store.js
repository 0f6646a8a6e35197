/* What the browser keeps: conversations, the one this tab shows, and the papers it is limited to. */
window.askPapers = (() => {
  "use strict";
  const MOST_TALKS = 30;
  const MOST_CHARACTERS = 3_000_000;
  const listeners = [];
  const tidiers = [];

  function read(where, name, otherwise) {
    try { return JSON.parse(where.getItem(name)) ?? otherwise; } catch { return otherwise; }
  }

  function write(where, name, value) {
    try { where.setItem(name, JSON.stringify(value)); return true; } catch { return false; }
  }

  const talks = () => {
    const listed = read(localStorage, "ap-talks", []);
    return Array.isArray(listed) ? listed : [];
  };
  const changed = () => listeners.forEach((listener) => listener());
  const fresh = () => Array.from(crypto.getRandomValues(new Uint8Array(9)), (n) => (n % 36).toString(36)).join("");

  const state = {
    view: "chat",
    chosen: null,
    talk: read(sessionStorage, "ap-talk", null) || fresh(),
    scope: read(sessionStorage, "ap-scope", []),
    replace: false,
  };
  write(sessionStorage, "ap-talk", state.talk);

  function drop(name) {
    try { localStorage.removeItem(`ap-talk-${name}`); } catch { /* nothing is kept then */ }
    write(localStorage, "ap-talks", talks().filter((talk) => talk.name !== name));
  }

  /* The oldest conversations make room for the newest. */
  function keep(text) {
    let told;
    try { told = JSON.parse(text); } catch { return; }
    if (!told || !told.name) return;
    if (!told.turns.length) {
      drop(told.name);
    } else {
      const before = talks().find((talk) => talk.name === told.name);
      const title = (before && before.renamed && before.title) || told.turns[0].question.slice(0, 120);
      const entry = { name: told.name, title, renamed: Boolean(before && before.renamed), when: Date.now(), size: text.length };
      const others = talks().filter((talk) => talk.name !== told.name);
      let room = MOST_CHARACTERS - text.length;
      const left = others.slice(0, MOST_TALKS - 1).filter((talk) => (room -= talk.size) >= 0);
      others.filter((talk) => !left.includes(talk)).forEach((talk) => drop(talk.name));
      let kept = false;
      while (!(kept = hold(told.name, text)) && left.length) drop(left.pop().name);
      if (kept) write(localStorage, "ap-talks", [entry, ...left]);
    }
    changed();
  }

  function hold(name, text) {
    try { localStorage.setItem(`ap-talk-${name}`, text); return true; } catch { return false; }
  }

  function rename(name, title) {
    write(localStorage, "ap-talks", talks().map((talk) => (talk.name === name ? { ...talk, title, renamed: true } : talk)));
    changed();
  }

  function open(name) {
    state.talk = name || fresh();
    write(sessionStorage, "ap-talk", state.talk);
    limit([]);
    whenReady("open", () => document.querySelector("#ap-opens").click());
    changed();
  }

  function limit(scope) {
    state.scope = scope;
    write(sessionStorage, "ap-scope", scope);
    changed();
  }

  function edit(on = true) {
    state.replace = on;
    changed();
  }

  /* What is pressed before the page can act on it is kept until it can. */
  let early = new Map();

  function whenReady(name, act) {
    if (early) early.set(name, act);
    else act();
  }

  function ready() {
    const kept = early || new Map();
    early = null;
    kept.forEach((act) => act());
  }

  const isReady = () => !early;

  /* Letters to the server that no field carries, and its answers. */
  const outbox = {};
  const receivers = {};
  let stamp = 0;

  /* `values` may be made when they are sent. */
  function send(name, values = {}) {
    whenReady(`send ${name}`, () => {
      outbox[name] = { ...(typeof values === "function" ? values() : values), stamp: (stamp += 1) };
      document.querySelector(`#ap-do-${name}`).click();
    });
  }

  function receive(text) {
    let said;
    try { said = JSON.parse(text); } catch { return; }
    if (said && receivers[said.kind]) receivers[said.kind](said);
  }

  return {
    ready,
    isReady,
    whenReady,
    send,
    receive,
    receivers,
    sent: (name) => JSON.stringify(outbox[name] || {}),
    talks,
    keep,
    rename,
    open,
    limit,
    edit,
    state,
    remove: (name) => { drop(name); if (name === state.talk) open(null); else changed(); },
    /* Called whenever the page was drawn anew. */
    tidy: (tidier) => tidiers.push(tidier),
    tidiers,
    listen: (listener) => listeners.push(listener),
    /* Sent with a question. */
    told: () => {
      const said = JSON.stringify({ talk: state.talk, scope: state.scope, replace: state.replace });
      if (state.replace) edit(false);
      return said;
    },
    /* Sent when a conversation is opened. */
    opened: () => {
      let kept = "";
      try { kept = localStorage.getItem(`ap-talk-${state.talk}`) || ""; } catch { /* nothing is kept then */ }
      return JSON.stringify({ talk: state.talk, kept });
    },
  };
})();
