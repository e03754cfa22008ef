//! Tests of all parts.

use proptest::prelude::*;
use url::Url;

use crate::{Robots, Scope, Sitemap, Target, links, markdown};

fn address() -> Url {
    Url::parse("https://a.example/docs/grip").unwrap()
}

/// Pages below `/docs/` are files beside this one, pictures are in `p/`.
fn read(html: &str) -> String {
    let mut resolve = |target: Target, url: &Url| match target {
        Target::Page => Some(format!("{}.md", url.path().strip_prefix("/docs/")?)),
        Target::Picture => Some(format!("p{}", url.path())),
    };
    markdown(html, &address(), &mut resolve)
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(read(&format!("<main>{html}</main>")).trim_end(), expected, "{html}");
}

#[test]
fn blocks_become_markdown() {
    check("<h1>Grip</h1><p>One\n two.<p>Three.", "# Grip\n\nOne two.\n\nThree.");
    check(
        "<h2 id=care>Care <a href='#care'>#</a></h2>Text",
        "## Care {#care}\n\nText",
    );
    check(
        "<ul><li>a<li><p>b</p><ul><li>c</ul><li>d</ul>e",
        "- a\n- b\n\n  - c\n\n- d\n\ne",
    );
    check("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
    check("<p>a<blockquote><p>b</p><p>c</blockquote>d", "a\n\n> b\n>\n> c\n\nd");
    check(
        "<pre class='language-rust'><code>let a = 1;\n\n  b();\n</code></pre>",
        "```rust\nlet a = 1;\n\n  b();\n```",
    );
    check("<pre>a ``` b</pre>", "````\na ``` b\n````");
    check("a<hr>b<br>c", "a\n\n***\n\nb\\\nc");
    check("<ul><li><pre>x\ny</pre></ul>", "- ```\n  x\n  y\n  ```");
}

#[test]
fn inlines_become_markdown() {
    check(
        "a<b> bold </b>b <i></i>and <strong>x<b>y</b></strong>",
        "a **bold** b and **xy**",
    );
    check("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**");
    check("use <code>a | `b`</code> now", "use `` a | `b` `` now");
    check("<a href=care?x=1#part>Care</a>", "[Care](care.md#part)");
    check(
        "<a href='#part'>Part</a> <a href=https://b.example/(x)>B</a>",
        "[Part](#part) [B](<https://b.example/(x)>)",
    );
    check("<a href='javascript:alert(1)'>x</a>", "[x](<javascript:alert(1)>)");
    check("<img src=/i/a.png alt='A [b]'>", "![A \\[b\\]](p/i/a.png)");
    check("<img src='data:image/png;base64,AA' data-src=/b.png>", "![](p/b.png)");
}

#[test]
fn signs_of_markdown_are_text() {
    check(
        "<p># a<p>1. b<p>- c<p>a*b_c_d &lt;x&gt; {% hint %} $$ :x: &amp;lt;",
        concat!(
            "\\# a\n\n1\\. b\n\n\\- c\n\n",
            "a\\*b_c_d \\<x> \\{% hint %} \\$\\$ \\:x: \\&lt;"
        ),
    );
}

#[test]
fn tables_have_rows_of_one_length() {
    check(
        "<table><tr><th>A<th>B</tr><tr><td>a|b<p>c</p><td><ul><li>d<li>e</ul><tr><td>f</table>g",
        "| A | B |\n| --- | --- |\n| a\\|b c | d e |\n| f |  |\n\ng",
    );
}

#[test]
fn the_main_part_is_read() {
    let page = "<title>Grip | Tidewater</title><body><nav>no</nav><main><div>Docs</div><h1>Grip</h1>yes<nav>no</nav>\
                <aside>note</aside><script>no</script><button>no</button><svg><text>no</text></svg></main><footer>no</footer>";
    assert_eq!(read(page), "# Grip\n\nyes\n\nnote\n");
    let page = "<head><title>Grip | Tidewater</title></head><body><header>no</header><p>yes</p><aside>no</aside>";
    assert_eq!(read(page), "# Grip\n\nyes\n");
    assert_eq!(read("<body><article><h1>A</h1>b</article><div>no</div>"), "# A\n\nb\n");
}

#[test]
fn links_are_found_everywhere() {
    let found = links(
        "<base href=/x/><nav><a href=a>A</a></nav><script>'<a href=no>'</script><a href=//b.example>",
        &address(),
    );
    let found: Vec<&str> = found.iter().map(Url::as_str).collect();
    assert_eq!(found, ["https://a.example/x/a", "https://b.example/"]);
}

#[test]
fn pages_have_scopes_and_files() {
    let scope = Scope::of(&Url::parse("https://a.example/docs?x#y").unwrap());
    let page = |text: &str| scope.page(&Url::parse(text).unwrap()).map(|page| scope.file(&page));
    for (url, file) in [
        ("https://a.example/docs", "README.md"),
        ("https://a.example/docs/", "README.md"),
        ("https://a.example/docs/a/b.html?x=1#y", "a/b.md"),
        ("https://a.example/docs/a/", "a/README.md"),
        ("https://a.example/docs/a/index.html", "a/README.md"),
        ("https://a.example/docs/v1.2", "v1.2.md"),
        ("https://a.example/docs/.git/caf%C3%A9", "git/caf-C3-A9.md"),
    ] {
        assert_eq!(page(url).as_deref(), Some(file), "{url}");
    }
    for url in [
        "https://a.example/docsx",
        "https://a.example/",
        "https://b.example/docs",
        "http://a.example/docs",
        "https://a.example/docs/a.png",
    ] {
        assert_eq!(page(url), None, "{url}");
    }
    let key = |text: &str| scope.key(&Url::parse(text).unwrap());
    for url in [
        "https://a.example/docs/A/",
        "https://a.example/docs/a.html",
        "https://a.example/docs/a/index.html",
    ] {
        assert_eq!(key(url), "a", "{url}");
    }
    let scope = Scope::of(&Url::parse("https://a.example/docs/index.html").unwrap());
    assert_eq!(
        scope.file(&Url::parse("https://a.example/docs/index.html").unwrap()),
        "README.md"
    );
    assert_eq!(
        scope.beside("sitemap.xml").unwrap().as_str(),
        "https://a.example/docs/sitemap.xml"
    );
    assert_eq!(
        scope.at_top("robots.txt").unwrap().as_str(),
        "https://a.example/robots.txt"
    );
}

#[test]
fn robots_are_respected() {
    let text = "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.pdf$\nDisallow:\n";
    let robots = Robots::parse(text, "bindery");
    for (path, allowed) in [
        ("/", true),
        ("/private/x", false),
        ("/private/open/x", true),
        ("/a/b.pdf", false),
        ("/a/b.pdf.html", true),
    ] {
        assert_eq!(robots.allows(path), allowed, "{path}");
    }
    let robots = Robots::parse(
        "User-agent: *\nDisallow: /\nUser-agent: Bindery/1\nUser-agent: x\nDisallow: /a # b\n",
        "bindery",
    );
    assert!(robots.allows("/b") && !robots.allows("/a"));
    assert!(Robots::parse("<html>", "bindery").allows("/"));
}

#[test]
fn sitemaps_name_pages_and_sitemaps() {
    let text = "<?xml version='1.0'?><urlset><url><loc> https://a.example/?a=1&amp;b=2 </loc><lastmod>x</lastmod></url></urlset>";
    assert_eq!(Sitemap::read(text).pages, ["https://a.example/?a=1&b=2"]);
    let text = "<sitemapindex><sitemap><loc>https://a.example/b.xml</loc></sitemap></sitemapindex>";
    assert_eq!(Sitemap::read(text).sitemaps, ["https://a.example/b.xml"]);
}

#[test]
fn nesting_does_not_multiply_the_text() {
    for element in ["blockquote", "ul><li", "b", "a href=x", "table><tr><td", "div", "h1"] {
        let html = format!("<main>{}x", format!("<{element}>a ").repeat(20_000));
        assert!(read(&html).len() < 2_000_000, "{element}");
    }
}

proptest! {
    #[test]
    fn any_page_becomes_text(
        html in r"(</?(main|p|ul|ol|li|table|tr|td|pre|code|b|i|a href=x|h1|h2 id=x|blockquote|br|img src=y|nav|svg|title)>|[a-z *_#|`{%\n]|\PC){0,60}"
    ) {
        let text = read(&html);
        prop_assert!(text.ends_with('\n'));
        links(&html, &address());
    }
}
