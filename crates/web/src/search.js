
// Searches the pages that `sitePages` lists, and fills the search page. It is a script: browsers load no data from disks.
const foldText = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const indexAddress = document.currentScript.src;
const searchedPages = sitePages.map((page) => ({
  ...page,
  href: new URL(`../../${page.href}`, indexAddress).href,
  parts: [[foldText(page.title), 9], [foldText(page.sections.map(([title]) => title).join("\n")), 3], [foldText(page.text), 1]],
}));
globalThis.searchPages = (query) => {
  const words = foldText(query).split(/\s+/).filter(Boolean);
  const points = ({ parts }) => {
    const each = words.map((word) => parts.reduce((sum, [text, weight]) => sum + (text.includes(word) ? weight : 0), 0));
    return each.includes(0) ? 0 : each.reduce((sum, some) => sum + some, 0);
  };
  const pages = searchedPages.map((page) => ({ ...page, points: points(page) }));
  return pages.filter((page) => page.points).sort((one, other) => other.points - one.points);
};

const resultList = document.querySelector("ol.results");
const asked = new URLSearchParams(location.search).get("q")?.trim();
if (resultList && asked) {
  field.value = asked;
  const pages = searchPages(asked);
  if (!pages.length) resultList.before(made("p", document.body.dataset.nothing));
  resultList.append(...pages.slice(0, 50).map(({ title, href, place, sections }) => {
    const words = foldText(asked).split(/\s+/);
    const found = sections.filter(([title]) => words.some((word) => foldText(title).includes(word)));
    const below = made("ul", "", ...found.map(([title, id]) => made("li", "", link(title, `${href}#${id}`))));
    const item = made("li", "", made("p", place), made("h2", "", link(title, href)), ...(found.length ? [below] : []));
    item.firstChild.className = "place";
    return item;
  }));
}
