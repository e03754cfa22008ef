//! Links of the frame.

use maud::{Markup, html};

use super::FrameLink;

use crate::Icon;

pub(super) fn link(link: &FrameLink) -> Markup {
    let class = link.is_button.then_some("button");
    let current = link.is_current.then_some("page");
    match &link.href {
        Some(href) => html! {
            a class=[class] href=(href) aria-current=[current] rel=[href.is_external().then_some("noopener")] {
                (words(link))
            }
        },
        None => html! { span { (words(link)) } },
    }
}

pub(super) fn words(link: &FrameLink) -> Markup {
    html! {
        (mark(link.emoji.as_deref(), link.icon.as_ref()))
        bdi { (link.title) }
    }
}

/// The emoji before a title, or else its icon.
pub(super) fn mark(emoji: Option<&str>, icon: Option<&Icon>) -> Markup {
    html! {
        @match (emoji, icon) {
            (Some(emoji), _) => span aria-hidden="true" { (emoji) " " },
            (None, Some(icon)) => { (icon) " " },
            (None, None) => {},
        }
    }
}
