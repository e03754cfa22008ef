//! The last parts of the paths of pages.

use bindery::areas::content::slugs::{SlugsInUse, slug_of};

#[test]
fn siblings_with_one_title_get_numbers() {
    let mut slugs = SlugsInUse::default();
    let taken = ["List", "list 2", "List", "List", "List 2"].map(|title| slugs.take(title));
    assert_eq!(taken, ["list", "list-2", "list-3", "list-4", "list-2-2"]);
}

#[test]
fn slugs_are_those_of_the_public_product() {
    for (title, slug) in [
        ("Getting Started", "getting-started"),
        ("Plans & pricing", "plans-and-pricing"),
        ("What’s new, and what isn't", "whats-new-and-what-isnt"),
        ("When you're done", "when-you-re-done"),
        ("SAML2.0 setup", "saml2.0-setup"),
        ("one_two", "one_two"),
        ("Jest + more", "jest-+-more"),
        ("  --Über uns!  ", "uber-uns"),
        ("図", "tu"),
        ("快速开始 v2", "kuai-su-kai-shi-v2"),
        ("Pape\u{301}is – de sistema", "papeis-de-sistema"),
        ("...", "page"),
        ("", "page"),
    ] {
        assert_eq!(slug_of(title), slug, "{title}");
    }
    assert_eq!(slug_of(&"a-".repeat(80)).len(), 99);
}
