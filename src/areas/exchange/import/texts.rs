//! The Markdown files of the repository, parsed.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use anyhow::ensure;
use content::initial::UNTITLED;
use rich_text::{
    DocumentLimits, FrontMatter, LinkChange, ReferenceRole, front_matter::line_of, has_scheme, page_source::PageSource,
};

use super::{
    Progress, Report,
    names::{self, is_markdown},
    repository::{Listing, Repository},
};

use crate::{
    areas::authoring::editor::{PageFields, PageText, invalid_members, parse_text},
    kernel::conditions,
};

/// The most notes on one text about syntax that is kept as it is.
const MAX_UNKNOWN: usize = 20;

/// The most characters of such syntax that a note shows.
const MAX_SHOWN: usize = 80;

/// The most bytes of all texts, which are in memory at once.
const MAX_TEXTS: u64 = 512 * 1024 * 1024;

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
    /// The line of the file at which the text below the title begins, from 1.
    first_line: usize,
    cover_line: Option<usize>,
}

impl SourceTexts {
    /// Reads all Markdown files except the table of contents. Unreadable files are skipped and reported.
    pub fn read(
        repository: &Repository,
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
            let read = repository
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
        let markdown = markdown.replace("\r\n", "\n").replace('\r', "\n");
        let page = PageSource::split(&markdown);
        let yaml = page.front_matter.unwrap_or_default();
        let (front, errors) = FrontMatter::parse_valid_members(yaml);
        for error in errors {
            // The front matter begins with a line of dashes.
            report.error_at(path, Some(error.line + 1), error.message);
        }
        let text = match parse_text(&page, front) {
            Ok(text) => text,
            Err(refusal) => return report.error(path, refusal.message),
        };
        let mut fields = PageFields::default().overridden_by(&text.front);
        for name in invalid_members(&fields) {
            let line = line_of(yaml, &name).map(|line| line + 1);
            let message = format!("The front matter has an invalid value for `{name}`; it is ignored.");
            report.error_at(path, line, message);
            fields.clear(&name);
        }
        if markdown.contains("include") {
            self.note_included(path, &text.markdown);
        }
        let before = markdown.len().saturating_sub(page.body.trim_start_matches('\n').len());
        let source = SourceText {
            first_line: line_at(&markdown, before),
            cover_line: line_of(yaml, "cover").map(|line| line + 1),
            text,
            fields,
        };
        source.note_unknown_syntax(path, report);
        source.note_invalid_conditions(path, yaml, report);
        self.all.insert(path.to_owned(), source);
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
        let title = own.unwrap_or_else(|| names::title_from_path(path));
        if title.is_empty() { UNTITLED.to_owned() } else { title }
    }

    /// Returns the path of the page of a directory.
    pub fn readme(&self, directory: &str) -> Option<&str> {
        self.readmes.get(directory).map(String::as_str)
    }

    /// Prefers `README.md` to `index.md`, and both to a file with the name of the directory beside it.
    fn note_readmes(&mut self) {
        for path in self.all.keys().filter(|path| names::is_readme(path)) {
            let directory = names::directory(path).to_owned();
            if names::stem(path).eq_ignore_ascii_case("readme") {
                self.readmes.insert(directory, path.clone());
            } else {
                self.readmes.entry(directory).or_insert_with(|| path.clone());
            }
        }
        for path in self.all.keys() {
            let Some((directory, _)) = path.rsplit_once('.').filter(|_| !names::is_readme(path)) else {
                continue;
            };
            let inside = format!("{directory}/");
            let first = self.all.range(inside.clone()..).next();
            if first.is_some_and(|(path, _)| path.starts_with(&inside)) {
                self.readmes.entry(directory.to_owned()).or_insert_with(|| path.clone());
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

    /// Returns the line of the file at which a link with this target stands. `None`: the target is written in another form.
    pub fn line_of(&self, target: &str) -> Option<usize> {
        let markdown = &self.text.markdown;
        let forms = [
            format!("]({target}"),
            format!("](<{target}"),
            format!("\"{target}\""),
            target.to_owned(),
        ];
        let at = forms.iter().find_map(|form| markdown.find(form));
        let line = at.map(|at| self.line_of_file(at));
        let is_cover = self.text.front.cover.as_deref() == Some(target);
        line.or_else(|| self.cover_line.filter(|_| is_cover))
    }

    /// Returns the line of the file at which a position of the Markdown is.
    fn line_of_file(&self, position: usize) -> usize {
        self.first_line + line_at(&self.text.markdown, position) - 1
    }

    /// Reports tags and blocks that stand in the text as they were, where readers may miss what they stood for.
    fn note_unknown_syntax(&self, path: &str, report: &mut Report) {
        let markdown = &self.text.markdown;
        // A text that cannot be parsed is reported when it is written.
        let found = rich_text::unknown_syntax(markdown).unwrap_or_default();
        let mut from = 0;
        for source in found.iter().take(MAX_UNKNOWN) {
            let first = source.lines().next().unwrap_or_default();
            let at = markdown.get(from..).and_then(|rest| rest.find(first));
            let line = at.map(|at| self.line_of_file(from + at));
            from += at.map_or(0, |at| at + first.len());
            let shown: String = first.chars().take(MAX_SHOWN).collect();
            report.note_at(path, line, format!("`{shown}` is not known and is kept as it is."));
        }
        let further = found.len().saturating_sub(MAX_UNKNOWN);
        if further > 0 {
            report.note(
                path,
                format!("{further} more places with unknown syntax are kept as they are."),
            );
        }
    }

    /// Reports conditions that cannot be parsed, because nobody sees what depends on them.
    fn note_invalid_conditions(&self, path: &str, yaml: &str, report: &mut Report) {
        if let Some(problem) = self.fields.condition.as_deref().and_then(conditions::problem) {
            let line = ["if", "condition"].iter().find_map(|name| line_of(yaml, name));
            report.error_at(
                path,
                line.map(|line| line + 1),
                format!("Nobody sees the page. {problem}"),
            );
        }
        let markdown = &self.text.markdown;
        for invalid in &self.text.invalid {
            let is_of_block = |(at, _): &(usize, &str)| {
                let before = markdown.get(..*at).unwrap_or_default().trim_end();
                before
                    .strip_suffix("if")
                    .is_some_and(|before| before.trim_end().ends_with("{%"))
            };
            let at = markdown.match_indices(invalid.expression.as_str()).find(is_of_block);
            let line = at.map(|(at, _)| self.line_of_file(at));
            let problem = conditions::problem_of_block(&invalid.expression).unwrap_or_default();
            report.error_at(path, line, format!("Nobody sees the block. {problem}"));
        }
    }

    /// Returns the Markdown without a heading that equals the title.
    pub fn below(&self, title: &str) -> Cow<'_, str> {
        let heading = self.text.title().filter(|heading| names::is_whole(heading, title));
        self.text.below(heading.map_or(title, String::as_str), None)
    }
}

/// Returns the line of a position, from 1.
fn line_at(text: &str, position: usize) -> usize {
    let before = text.get(..position).unwrap_or(text);
    before.matches('\n').count() + 1
}
