//! The changes of a request, read and ready to be made.

use std::{borrow::Cow, collections::HashMap};

use content::pages::File;
use entity::ids::{FileId, PageId, RevisionId};
use openapi::values::Maybe;
use rich_text::FrontMatter;

use super::fields::Fields;

/// One change. Its place in the request is the index in the list.
#[derive(Debug, Clone)]
pub enum Step {
    Insert {
        id: PageId,
        fields: Fields,
        text: Text,
        into: Option<String>,
        at: Option<usize>,
        name: Option<String>,
    },
    Edit {
        page: String,
        fields: Fields,
        text: Option<Text>,
        into: Maybe<String>,
        at: Option<usize>,
    },
    Delete {
        page: String,
    },
    Revert {
        page: String,
        /// None is where the content came from.
        revision: Option<RevisionId>,
        /// None is the whole page.
        blocks: Option<Vec<String>>,
    },
    Files(Vec<File>),
}

/// A text that was read and found good.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// Without front matter and without the heading at the beginning.
    pub markdown: String,
    /// The heading of the first level at the beginning.
    pub heading: Option<Heading>,
    pub front: FrontMatter,
    /// Whether its links may be names of pages and files: those of a tree of nodes say what they mean.
    pub has_names: bool,
}

#[derive(Debug, Clone)]
pub struct Heading {
    pub markdown: String,
    /// Without marks.
    pub words: String,
}

impl Text {
    /// The Markdown below a title. A heading that says something else stays.
    pub fn below(&self, title: &str) -> Cow<'_, str> {
        match &self.heading {
            Some(heading) if heading.words != title => {
                Cow::Owned(format!("# {}\n\n{}", heading.markdown, self.markdown))
            }
            _ => Cow::Borrowed(&self.markdown),
        }
    }

    /// The title that the text gives to its page.
    pub fn title(&self) -> Option<&String> {
        self.heading.as_ref().map(|heading| &heading.words)
    }
}

/// The names that a request gives to what it adds.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub pages: HashMap<String, PageId>,
    pub files: HashMap<String, FileId>,
}
