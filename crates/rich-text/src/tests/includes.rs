//! Tags that include a text where no block stands for them.

use crate::{DocumentLimits, expand_includes, parse, render};

const TAG: &str = "{% include \"a.md\" %}";
const WORDS: &str = "One.\n\n* two\n";

#[track_caller]
fn assert_expanded(markdown: &str, expected: &str) {
    let limits = DocumentLimits::default();
    let markdown = markdown.replace("TAG", TAG);
    let expand = |text: &str| {
        let mut words = |target: &str| (target == "a.md").then(|| WORDS.to_owned());
        expand_includes(text, &limits, &mut words).unwrap()
    };
    let expanded = expand(&markdown);
    assert_eq!(expanded, expected.replace("TAG", TAG));
    assert_eq!(expand(&expanded), expanded);
    let document = parse(&expanded, &limits).unwrap();
    assert!(render(&document).is_ok());
}

#[test]
fn tags_with_a_block_stay() {
    for text in [
        "TAG",
        "Text.\n\nTAG\n\n```\nTAG\n```",
        "<details>\n\n<summary>S</summary>\n\nTAG\n\n</details>",
        "{% if a %}\nTAG\n{% endif %}",
        "{% tabs %}\n{% tab title=\"A\" %}\n{% include \"other.md\" %}\n{% endtab %}\n{% endtabs %}",
        "{% unknown %}\nTAG\n{% endunknown %}",
        "* a\r\n* TAG",
        "a[^1] b[^1]\n\n[^1]: TAG",
    ] {
        assert_expanded(text, text);
    }
}

#[test]
fn tags_without_a_block_become_words() {
    for (text, expected) in [
        (
            "{% tabs %}\n{% tab title=\"A\" %}\nTAG\n{% endtab %}\n{% endtabs %}\n\nTAG",
            "{% tabs %}\n{% tab title=\"A\" %}\nOne.\n\n* two\n{% endtab %}\n{% endtabs %}\n\nTAG",
        ),
        ("* TAG\n* b", "* One.\n\n  * two\n* b"),
        ("1. a\n\n   TAG\n2. b", "1. a\n\n   One.\n\n   * two\n2. b"),
        ("> TAG\n>\n> b", "> One.\n>\n> * two\n>\n> b"),
        ("> a\n> TAG\n> b", "> a\n> \n> One.\n>\n> * two\n>\n> b"),
        (
            "{% hint style=\"info\" %}\na\nTAG\nb\n{% endhint %}",
            "{% hint style=\"info\" %}\na\n\nOne.\n\n* two\n\nb\n{% endhint %}",
        ),
        (
            "{% hint style=\"info\" %}TAG{% endhint %}",
            "{% hint style=\"info\" %}\nOne.\n\n* two\n{% endhint %}",
        ),
    ] {
        assert_expanded(text, expected);
    }
}
