//! Files of Markdown as pages.

use crate::rich_text::page::Page;

#[test]
fn files_are_split() {
    let page = Page::split("---\ndescription: a\n---\n\n# Title #\n\nText\n");
    assert_eq!(page.front_matter, Some("description: a\n"));
    assert_eq!(page.title, Some("Title"));
    assert_eq!(page.body, "\nText\n");
}

#[test]
fn parts_may_be_missing() {
    let parts = |text| {
        let page = Page::split(text);
        (page.front_matter, page.title, page.body)
    };
    assert_eq!(parts("Text\n"), (None, None, "Text\n"));
    assert_eq!(parts("\u{feff}# A"), (None, Some("A"), ""));
    assert_eq!(parts("\n\n# A#b\nc"), (None, Some("A#b"), "c"));
    assert_eq!(parts("## A\n"), (None, None, "## A\n"));
    assert_eq!(parts("#A\n"), (None, None, "#A\n"));
    assert_eq!(parts("#\n"), (None, Some(""), ""));
    assert_eq!(parts("---\na\n"), (None, None, "---\na\n"));
    assert_eq!(parts("---\r\na\r\n---\r\nb"), (Some("a\r\n"), None, "b"));
    assert_eq!(parts(""), (None, None, ""));
}
