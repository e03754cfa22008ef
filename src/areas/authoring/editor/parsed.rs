//! Parsed changes of a request, ready to be applied.

use std::{borrow::Cow, collections::HashMap};

use content::pages::{ComputedPages, File};
use entity::ids::{FileId, PageId, RevisionId};
use openapi::{error::ErrorRule, values::Maybe};
use rich_text::FrontMatter;

use super::fields::PageFields;

/// One change. Its index in the list is its index in the request.
#[derive(Debug, Clone)]
pub enum ParsedChange {
    Insert {
        id: PageId,
        fields: PageFields,
        text: PageText,
        into: Option<String>,
        at: Option<usize>,
        name: Option<String>,
    },
    InsertComputed {
        id: PageId,
        /// With a title.
        fields: PageFields,
        source: Box<ComputedPages>,
        into: Option<String>,
        at: Option<usize>,
        name: Option<String>,
    },
    Edit {
        page: String,
        fields: PageFields,
        text: Option<PageText>,
        source: Option<Box<ComputedPages>>,
        into: Maybe<String>,
        at: Option<usize>,
    },
    Delete {
        page: String,
    },
    Revert {
        page: String,
        /// `None`: the revision before the content was changed.
        revision: Option<RevisionId>,
        /// `None`: the whole page.
        blocks: Option<Vec<String>>,
    },
    Files(Vec<File>),
}

/// A validated text of a page.
#[derive(Debug, Clone, Default)]
pub struct PageText {
    /// Without front matter and without the heading at the beginning.
    pub markdown: String,
    /// The heading of the first level at the beginning.
    pub heading: Option<PageHeading>,
    pub front: FrontMatter,
    /// Whether links may be file names and `ref`s. Links of a node tree always carry ids.
    pub has_names: bool,
    /// The conditions that cannot be parsed. The write is refused unless the page has them already.
    pub invalid: Vec<InvalidCondition>,
}

/// A condition that cannot be parsed: it would hide its page or block from everybody.
#[derive(Debug, Clone)]
pub struct InvalidCondition {
    pub expression: String,
    pub pointer: String,
    pub rule: ErrorRule,
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct PageHeading {
    pub markdown: String,
    /// As plain text.
    pub words: String,
}

impl PageText {
    /// The Markdown below the title. A first heading that is neither the title nor the one before the write stays in the text.
    pub fn below(&self, title: &str, before: Option<&str>) -> Cow<'_, str> {
        match &self.heading {
            Some(heading) if heading.words != title && Some(heading.words.as_str()) != before => {
                let text = format!("# {}\n\n{}", heading.markdown, self.markdown);
                Cow::Owned(text.trim_end_matches('\n').to_owned())
            }
            _ => Cow::Borrowed(&self.markdown),
        }
    }

    /// The title that the text gives to its page.
    pub fn title(&self) -> Option<&String> {
        self.heading.as_ref().map(|heading| &heading.words)
    }
}

/// The `ref`s that a request gives to the pages and files it inserts.
#[derive(Debug, Clone, Default)]
pub struct ChangeRefs {
    pub pages: HashMap<String, PageId>,
    pub files: HashMap<String, FileId>,
}
