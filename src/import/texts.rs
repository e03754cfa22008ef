//! The Markdown files of the directory, parsed.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use anyhow::ensure;
use openapi::error::ErrorRule;
use rich_text::{DocumentError, DocumentLimits, LinkChange, ReferenceRole, page_source::PageSource};

use super::{
    Progress, Report,
    directory::{Directory, Listing},
    names::{self, is_markdown},
};
use crate::areas::authoring::editor::{PageFields, PageText, has_scheme, invalid_members, parse_markdown};

/// The most bytes of all texts, which are in memory at once.
const MAX_TEXTS: u64 = 256 * 1024 * 1024;

/// Texts by path.
#[derive(Default)]
pub struct SourceTexts {
    all: BTreeMap<String, SourceText>,
    /// The paths of texts that others include.
    included: BTreeSet<String>,
    /// The texts that are the pages of directories, by directory.
    readmes: HashMap<String, String>,
}

pub struct SourceText {
    pub text: PageText,
    /// The settings of the page in the front matter.
    pub fields: PageFields,
}

impl SourceTexts {
    /// Reads all Markdown files except the table of contents. Unreadable files are skipped and reported.
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
        ensure!(
            total <= MAX_TEXTS,
            "the Markdown files have {total} bytes; at most {MAX_TEXTS} can be imported"
        );
        progress.start_phase("Reading", files.len());
        let mut texts = Self::default();
        let most = u64::try_from(DocumentLimits::default().bytes)?;
        for (path, _) in files {
            progress.step();
            let read = directory
                .read(path, most)
                .map_err(|error| format!("The file cannot be read: {error}."));
            let text =
                read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "The file is not valid UTF-8.".to_owned()));
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
        let text = match parse_text(path, markdown, report) {
            Ok(text) => text,
            Err(refusal) => return report.error(path, refusal.message),
        };
        let mut fields = PageFields::default().overridden_by(&text.front);
        let broken = invalid_members(&fields);
        if !broken.is_empty() {
            report.error(
                path,
                format!(
                    "The front matter has invalid values for {}; it is ignored.",
                    broken.join(", ")
                ),
            );
            fields = PageFields::default();
        }
        if markdown.contains("include") {
            self.note_included(path, &text.markdown);
        }
        self.all.insert(path.to_owned(), SourceText { text, fields });
    }

    fn note_included(&mut self, path: &str, markdown: &str) {
        let mut note = |target: &str, role: ReferenceRole| {
            if role == ReferenceRole::ReusableContent
                && !has_scheme(target)
                && let Some(local) = names::parse_target(names::directory(path), target)
            {
                self.included.insert(local.path);
            }
            LinkChange::Keep
        };
        // A refused text was reported before.
        let _ = rich_text::rewrite_links(markdown, &mut note);
    }

    pub fn get(&self, path: &str) -> Option<&SourceText> {
        self.all.get(path)
    }

    /// Returns the path of a text, if it exists.
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

    /// Returns the title of an included text.
    pub fn shared_title(&self, path: &str) -> String {
        let own = self.get(path).and_then(SourceText::title);
        own.unwrap_or_else(|| names::title_from_path(path))
    }

    /// Returns the path of the page of a directory.
    pub fn readme(&self, directory: &str) -> Option<&str> {
        self.readmes.get(directory).map(String::as_str)
    }

    /// Prefers `README.md` to `index.md`.
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

impl SourceText {
    /// Returns the title in the text.
    pub fn title(&self) -> Option<String> {
        let title = self.fields.title.as_ref().or(self.text.title());
        title
            .map(|title| names::normalize_title(title))
            .filter(|title| !title.is_empty())
    }

    /// Returns the Markdown without a heading that equals the title.
    pub fn below(&self, title: &str) -> Cow<'_, str> {
        let heading = self.text.title().filter(|heading| names::is_whole(heading, title));
        self.text.below(heading.map_or(title, String::as_str))
    }
}

/// Parses a text. Invalid front matter is reported and ignored.
fn parse_text(path: &str, markdown: &str, report: &mut Report) -> Result<PageText, DocumentError> {
    let refusal = match parse_markdown(markdown) {
        Err(refusal) if matches!(refusal.code, ErrorRule::FrontMatter | ErrorRule::FrontMatterTooLong) => refusal,
        other => return other,
    };
    report.error(path, refusal.message);
    let page = PageSource::split(markdown);
    let title = page.title.map(|title| format!("# {title}\n\n")).unwrap_or_default();
    parse_markdown(&format!("{title}{}", page.body))
}
