//! The table of contents.

use maud::{Markup, html};

use super::{
    FrameLink,
    links::{self, link},
};

use crate::Words;

/// A page, a group or a link in the table of contents.
#[derive(Clone, Debug)]
pub struct ContentsEntry {
    pub link: FrameLink,
    /// A group: its title is a heading of what is below it.
    pub is_group: bool,
    pub below: Vec<Self>,
}

impl ContentsEntry {
    fn holds_current(&self) -> bool {
        self.link.is_current || self.below.iter().any(Self::holds_current)
    }
}

pub(super) fn table(entries: &[ContentsEntry], words: &Words) -> Markup {
    html! {
        nav.contents aria-label=(words.contents) {
            details open {
                summary { (words.contents) }
                (list(entries, words))
            }
        }
    }
}

/// Pages below another one are folded, unless the current page is there: then all above it are open.
fn list(entries: &[ContentsEntry], words: &Words) -> Markup {
    html! {
        ul {
            @for entry in entries {
                @if entry.is_group {
                    li.group { p { (links::words(&entry.link)) } (list(&entry.below, words)) }
                } @else {
                    li {
                        (link(&entry.link))
                        @if !entry.below.is_empty() {
                            details open[entry.holds_current()] {
                                summary aria-label={ (words.below) ": " (entry.link.title) } {}
                                (list(&entry.below, words))
                            }
                        }
                    }
                }
            }
        }
    }
}
