use crate::{Icon, icons::sprite};

use super::html;

#[test]
fn icons_are_drawn_once() {
    let html = html(
        "<i class=\"fa-rocket\">:rocket:</i> and <i class=\"fa-rocket\">:rocket:</i>, \
         <i class=\"fa-github\" style=\"color:red;\">:github:</i>, <i class=\"fa-nothing\">:nothing:</i>\n",
    );
    let used = "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#~icon-rocket\"></use></svg>";
    assert_eq!(html.matches(used).count(), 2, "{html}");
    assert!(
        html.contains("class=\"icon text-red\" aria-hidden=\"true\"><use href=\"#~icon-github\">"),
        "{html}"
    );
    assert!(!html.contains("nothing"), "{html}");
    let sprite = sprite(&html);
    assert_eq!(sprite.as_str().matches("<symbol").count(), 2);
    let drawn = "<symbol id=\"~icon-rocket\" viewBox=\"0 0 512 512\"><path d=\"";
    assert_eq!(sprite.as_str().matches(drawn).count(), 1, "{sprite:?}");
    assert!(sprite.as_str().contains("CC BY 4.0"));
}

#[test]
fn pages_without_icons_have_no_drawings() {
    assert!(sprite("<p>&lt;use href=&quot;#~icon-rocket</p>").is_empty());
    assert_eq!(
        sprite("<use href=\"#~icon-<script>\">")
            .as_str()
            .matches("symbol")
            .count(),
        0
    );
}

#[test]
fn names_of_other_sets_are_no_icons() {
    for name in ["", "Rocket", "fa-rocket", "alien-monster", "../rocket"] {
        assert_eq!(Icon::named(name), None, "{name}");
    }
}

#[test]
fn blocks_have_the_icons_that_authors_chose() {
    let html = html(
        "{% hint style=\"warning\" %}\nx\n{% endhint %}\n\n{% hint style=\"info\" icon=\"anchor\" %}\nx\n{% endhint %}\n\n\
         {% tabs %}\n{% tab title=\"A\" icon=\"linux\" %}\none\n{% endtab %}\n{% endtabs %}\n\n\
         {% stepper %}\n{% step icon=\"ship\" %}\n### One\n{% endstep %}\n{% endstepper %}\n\n\
         <a href=\"https://example.com/\" class=\"button primary\" data-icon=\"sailboat\">Go</a>\n",
    );
    for name in ["circle-exclamation", "anchor", "linux", "ship", "sailboat"] {
        assert!(html.contains(&format!("#~icon-{name}\"")), "{name}: {html}");
    }
    assert!(!html.contains("circle-info"), "{html}");
}
