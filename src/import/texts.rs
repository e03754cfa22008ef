//! The texts of the directory, read and taken apart.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use anyhow::ensure;
use rich_text::{DocumentError, DocumentLimits, LinkChange, ReferenceRole, page_source::PageSource};

use super::{
    Progress, Report,
    names::{self, is_markdown},
    reading::{Directory, Listing},
};
use crate::areas::authoring::editor::{PageFields, PageText, has_scheme, invalid_members, parse_markdown};

/// Bytes of all texts together: they are in memory at once.
const MAX_TEXTS: u64 = 256 * 1024 * 1024;

/// By their paths.
#[derive(Default)]
pub struct Texts {
    all: BTreeMap<String, Read>,
    /// Those that others include.
    included: BTreeSet<String>,
    /// Those that stand for their directories.
    readmes: HashMap<String, String>,
}

pub struct Read {
    pub text: PageText,
    /// What the front matter says about the page.
    pub fields: PageFields,
}

impl Texts {
    /// Reads all files of Markdown but the table of contents. What cannot be read is left out.
    pub fn read(
        directory: &Directory,
        listing: &Listing,
        summary: Option<&str>,
        report: &mut Report,
        progress: &dyn Progress,
    ) -> anyhow::Result<Self> {
        let files: Vec<(&String, u64)> = listing
            .iter()
            .filter(|(path, _)| is_markdown(path) && Some(path.as_str()) != summary)
            .map(|(path, size)| (path, *size))
            .collect();
        let total: u64 = files.iter().map(|(_, size)| size).sum();
        ensure!(total <= MAX_TEXTS, "the texts are longer than {MAX_TEXTS} bytes");
        progress.begin("Reading", files.len());
        let mut texts = Self::default();
        let most = u64::try_from(DocumentLimits::default().bytes)?;
        for (path, _) in files {
            progress.step();
            let read = directory
                .read(path, most)
                .map_err(|error| format!("Cannot be read: {error}."));
            let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "Is not valid UTF-8.".to_owned()));
            match text {
                Ok(text) => texts.add(path, &text, report),
                Err(message) => report.error(path, message),
            }
        }
        texts.included.retain(|path| texts.all.contains_key(path));
        texts.note_readmes();
        Ok(texts)
    }

    fn add(&mut self, path: &str, markdown: &str, report: &mut Report) {
        let text = match understood(path, markdown, report) {
            Ok(text) => text,
            Err(refusal) => return report.error(path, refusal.message),
        };
        let mut fields = PageFields::default().overridden_by(&text.front);
        let broken = invalid_members(&fields);
        if !broken.is_empty() {
            report.error(
                path,
                format!("The front matter breaks the rules for {}.", broken.join(", ")),
            );
            fields = PageFields::default();
        }
        if markdown.contains("include") {
            self.note_included(path, &text.markdown);
        }
        self.all.insert(path.to_owned(), Read { text, fields });
    }

    fn note_included(&mut self, path: &str, markdown: &str) {
        let mut note = |target: &str, role: ReferenceRole| {
            if role == ReferenceRole::ReusableContent
                && !has_scheme(target)
                && let Some(local) = names::local(names::directory(path), target)
            {
                self.included.insert(local.path);
            }
            LinkChange::Keep
        };
        // What is refused here was refused before.
        let _ = rich_text::rewrite_links(markdown, &mut note);
    }

    pub fn get(&self, path: &str) -> Option<&Read> {
        self.all.get(path)
    }

    /// The path of a text, if there is one.
    pub fn path(&self, path: &str) -> Option<&str> {
        self.all.get_key_value(path).map(|(path, _)| path.as_str())
    }

    pub fn paths(&self) -> impl Iterator<Item = &String> {
        self.all.keys()
    }

    pub fn is_included(&self, path: &str) -> bool {
        self.included.contains(path)
    }

    pub fn included(&self) -> impl Iterator<Item = &String> {
        self.included.iter()
    }

    /// What an included text is called.
    pub fn shared_title(&self, path: &str) -> String {
        let own = self.get(path).and_then(Read::title);
        own.unwrap_or_else(|| names::spoken(path))
    }

    /// The text that stands for a directory.
    pub fn readme(&self, directory: &str) -> Option<&str> {
        self.readmes.get(directory).map(String::as_str)
    }

    /// `README.md` comes before `index.md`.
    fn note_readmes(&mut self) {
        for path in self.all.keys().filter(|path| names::is_readme(path)) {
            let directory = names::directory(path).to_owned();
            if names::stem(path).eq_ignore_ascii_case("readme") {
                self.readmes.insert(directory, path.clone());
            } else {
                self.readmes.entry(directory).or_insert_with(|| path.clone());
            }
        }
    }
}

impl Read {
    /// What the page is called by its text.
    pub fn title(&self) -> Option<String> {
        let title = self.fields.title.as_ref().or(self.text.title());
        title.map(|title| names::title(title)).filter(|title| !title.is_empty())
    }

    /// The Markdown below a title; a heading that says the same is left out.
    pub fn below(&self, title: &str) -> Cow<'_, str> {
        let heading = self.text.title().filter(|heading| names::is_whole(heading, title));
        self.text.below(heading.map_or(title, String::as_str))
    }
}

/// A text whose front matter cannot be read is taken without it.
fn understood(path: &str, markdown: &str, report: &mut Report) -> Result<PageText, DocumentError> {
    let refusal = match parse_markdown(markdown) {
        Err(refusal) if refusal.code.starts_with("front-matter") => refusal,
        other => return other,
    };
    report.error(path, refusal.message);
    let page = PageSource::split(markdown);
    let title = page.title.map(|title| format!("# {title}\n\n")).unwrap_or_default();
    parse_markdown(&format!("{title}{}", page.body))
}
