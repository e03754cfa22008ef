//! Links of the frame.

use maud::{Markup, html};

use super::FrameLink;

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
        @if let Some(emoji) = &link.emoji { span aria-hidden="true" { (emoji) " " } }
        bdi { (link.title) }
    }
}
