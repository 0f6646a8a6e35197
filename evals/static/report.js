"use strict";
const cases = [...document.querySelectorAll(".case")];
const search = document.getElementById("search");
const kind = document.getElementById("kind");
const shown = document.getElementById("shown");
let state = "all";

function fits(one) {
  if (kind.value && one.dataset.kind !== kind.value) return false;
  if (state === "flipped" ? !one.dataset.flip : state !== "all" && one.dataset.state !== state) return false;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => one.dataset.text.includes(word));
}

function filter() {
  let count = 0;
  for (const one of cases) {
    one.hidden = !fits(one);
    count += !one.hidden;
  }
  shown.textContent = `${count} of ${cases.length} cases`;
  document.getElementById("nothing").hidden = count > 0;
  for (const card of document.querySelectorAll(".kind"))
    card.setAttribute("aria-pressed", String(card.dataset.kind === kind.value));
  for (const button of document.querySelectorAll("[data-show]"))
    button.setAttribute("aria-pressed", String(button.dataset.show === state));
}

for (const button of document.querySelectorAll("[data-show]"))
  button.addEventListener("click", () => { state = button.dataset.show; filter(); });
for (const card of document.querySelectorAll(".kind"))
  card.addEventListener("click", () => {
    kind.value = kind.value === card.dataset.kind ? "" : card.dataset.kind;
    filter();
    document.getElementById("cases").scrollIntoView({ behavior: "smooth" });
  });
kind.addEventListener("change", filter);
search.addEventListener("input", filter);

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.classList.contains("dark")
    || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.remove("dark", "light");
  root.classList.add(dark ? "light" : "dark");
});

function openNamed() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named && named.matches(".case")) { named.open = true; named.scrollIntoView(); }
}
addEventListener("hashchange", openNamed);
filter();
openNamed();
