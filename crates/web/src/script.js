// Comforts for browsers with scripts. Pages are whole without them.
const root = document.documentElement;
/** Browsers may refuse to keep anything. */
const kept = (name, value) => {
  try {
    if (value) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
const stored = kept("theme");
if (stored === "light" || stored === "dark") root.dataset.theme = stored;

const theme = document.querySelector("button.theme");
if (theme) {
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    kept("theme", root.dataset.theme);
    components.forEach(fit);
  });
}

// On narrow screens, the table of contents would stand before each page.
const contents = document.querySelector(".contents > details");
if (contents && matchMedia("(max-width: 60rem)").matches) contents.open = false;
contents?.classList.add("ready");
document.querySelector(".contents [aria-current]")?.scrollIntoView({ block: "nearest" });

for (const block of document.querySelectorAll(".code")) {
  if (!navigator.clipboard) break;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "⧉";
  copy.setAttribute("aria-label", document.body.dataset.copy);
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    copy.textContent = "✓";
  });
  block.append(copy);
}

// A tab with the title that the reader chose before is chosen again.
const chosen = kept("tab");
for (const label of document.querySelectorAll(".tabs > label")) {
  if (label.textContent === chosen) label.control.checked = true;
  label.addEventListener("click", () => kept("tab", label.textContent));
}
const decoded = (id) => {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};
// A link to a place in a tab or an expandable shows it.
const show = () => {
  const id = location.hash.slice(1);
  const place = id && (document.getElementById(id) ?? document.getElementById(decoded(id)));
  if (!place) return;
  for (let at = place; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
    if (at.classList.contains("tab")) at.previousElementSibling.control.checked = true;
  }
  place.scrollIntoView();
};
addEventListener("hashchange", show);
show();

// Links to other sites that are followed.
const places = { ".announcement": "announcement", ".top, .bar": "header", ".bottom": "footer", ".contents, .outline": "sidebar", main: "content" };
for (const kind of ["click", "auxclick"]) {
  addEventListener(kind, ({ target, button }) => {
    const link = button < 2 && target.closest?.("a[href^=http]");
    if (!link || link.host === location.host || document.body.dataset.index) return;
    const place = Object.keys(places).find((it) => link.closest(it));
    navigator.sendBeacon(location.pathname, new URLSearchParams({ link: link.href, position: places[place] ?? "content" }));
  });
}

// Blocks of integrations are documents in frames, which may show documents of other servers.
const inside = (frame) => frame.contentDocument?.documentElement;
const fit = (frame) => {
  if (!inside(frame)) return;
  if (root.dataset.theme) inside(frame).dataset.theme = root.dataset.theme;
  frame.style.height = 0;
  frame.style.height = `${inside(frame).scrollHeight}px`;
};
const components = document.querySelectorAll("iframe.component");
for (const frame of components) {
  frame.addEventListener("load", () => fit(frame));
  fit(frame);
}
addEventListener("message", ({ source, data }) => {
  for (const frame of components) {
    const shown = [...(inside(frame)?.querySelectorAll("iframe") ?? [])].find((it) => it.contentWindow === source);
    const { action, size } = (shown && data?.action) || {};
    if (action === "@webframe.ready") source.postMessage({ state: JSON.parse(shown.dataset.state) }, "*");
    if (action === "@webframe.resize" && size?.height > 0) shown.style.height = `${Math.min(size.height, 4000)}px`;
    if (action) fit(frame);
  }
});

// Static sites have a script that searches in place of a server.
const { index } = document.body.dataset;
let loaded;
const load = () => loaded ??= new Promise((onload, onerror) => {
  document.head.append(Object.assign(document.createElement("script"), { src: index, onload, onerror }));
});
if (index && document.querySelector("ol.results")) load();
const suggest = async (query) => {
  if (index) return load().then(() => searchPages(query));
  const address = new URL(form.action);
  address.searchParams.set("q", query);
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  return answer.ok ? (await answer.json()).pages : [];
};
const made = (name, text, ...below) => {
  const element = document.createElement(name);
  element.textContent = text;
  element.append(...below);
  return element;
};
const link = (title, href) => Object.assign(made("a", title), { href });

// Suggestions below the search field.
const form = document.querySelector("form.search");
const field = form?.elements.q;
if (field) {
  form.hidden = false;
  const list = document.createElement("ul");
  list.hidden = true;
  form.append(list);
  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    const query = field.value.trim();
    list.hidden = true;
    if (!query) return;
    waiting = setTimeout(async () => {
      const pages = await suggest(query);
      if (field.value.trim() !== query) return;
      list.replaceChildren(...pages.slice(0, 8).map(({ title, href }) => made("li", "", link(title, href))));
      list.hidden = !pages.length;
    }, 150);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
  });
}

// Calls of APIs, from this browser to their servers. What readers type is not kept.
const MAX_SHOWN = 65536;
const textOf = async ({ body }) => {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part; reader && !(part = await reader.read()).done; ) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > MAX_SHOWN) {
      reader.cancel();
      return `${text.slice(0, MAX_SHOWN)}…`;
    }
  }
  return text;
};
/** The address and the options of the request that the fields of a form describe. */
const requestOf = (form) => {
  const { method, path } = form.dataset;
  const [headers, query] = [new Headers(), new URLSearchParams()];
  let [server, rest, body] = ["", path];
  for (const field of form.querySelectorAll("[data-in]")) {
    const { in: place, name, prefix = "" } = field.dataset;
    const value = prefix === "Basic " ? btoa(String.fromCharCode(...new TextEncoder().encode(field.value))) : field.value;
    if (place === "server") server = value.replace(/\/+$/, "");
    else if (place === "path") rest = rest.replaceAll(`{${name}}`, () => encodeURIComponent(value));
    else if (!value) continue;
    else if (place === "query") query.append(name, value);
    else if (place === "header") headers.set(name, prefix + value);
    else {
      headers.set("Content-Type", name);
      body = value;
    }
  }
  const address = new URL(server + rest);
  for (const [name, value] of query) address.searchParams.append(name, value);
  const signal = AbortSignal.timeout(30_000);
  return [address, { method, headers, body, signal, credentials: "omit", cache: "no-store" }];
};
for (const part of document.querySelectorAll(".try")) {
  part.hidden = false;
  const form = part.querySelector("form");
  const [status, figure] = [form.querySelector("[role=status]"), form.querySelector("figure")];
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    status.textContent = "…";
    figure.hidden = true;
    try {
      const begin = performance.now();
      const response = await fetch(...requestOf(form));
      const [text, time] = [await textOf(response), Math.round(performance.now() - begin)];
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`);
      figure.querySelector("code").textContent = `${headers.join("")}\n${text}`;
      status.textContent = `${response.status} ${response.statusText} · ${time} ms`;
      figure.hidden = false;
    } catch (error) {
      status.textContent = `${form.dataset.failed} (${error.message})`;
    }
  });
}
