//! The pages of a website that belong together: those at and below an address.

use url::Url;

/// Longer addresses are those of pages that link to themselves without end.
const MAX_LENGTH: usize = 1024;

/// The longest name of a file, without its extension.
const MAX_NAME: usize = 100;

pub struct Scope {
    start: Url,
    /// With a slash at the end.
    prefix: String,
}

impl Scope {
    /// The scope of an address: below the directory of a file such as `index.html`, otherwise below the address itself.
    pub fn of(address: &Url) -> Self {
        let mut start = address.clone();
        start.set_query(None);
        start.set_fragment(None);
        let path = start.path();
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let prefix = match name {
            _ if name.contains('.') => format!("{directory}/"),
            "" => path.to_owned(),
            _ => format!("{path}/"),
        };
        Self { start, prefix }
    }

    pub fn start(&self) -> &Url {
        &self.start
    }

    /// The address of a file beside the pages, or at the top of the host.
    pub fn beside(&self, name: &str) -> Option<Url> {
        self.start.join(&format!("{}{name}", self.prefix)).ok()
    }

    pub fn at_top(&self, name: &str) -> Option<Url> {
        self.start.join(&format!("/{name}")).ok()
    }

    /// The address by which a page is known. `None`: it is none of these pages.
    pub fn page(&self, address: &Url) -> Option<Url> {
        let mut page = address.clone();
        page.set_query(None);
        page.set_fragment(None);
        let path = page.path();
        let is_inside = path.starts_with(&self.prefix) || format!("{path}/") == self.prefix;
        let is_file = path.rsplit('/').next().is_some_and(|name| match name.rsplit_once('.') {
            Some((_, extension)) => is_of_other_file(extension),
            None => false,
        });
        (page.origin() == self.start.origin() && is_inside && !is_file && page.as_str().len() <= MAX_LENGTH)
            .then_some(page)
    }

    /// What the addresses of one page have in common: with a slash at the end or without, with an extension or without.
    pub fn key(&self, page: &Url) -> String {
        let file = self.file(page).to_lowercase();
        let path = file.strip_suffix(".md").unwrap_or(&file);
        path.strip_suffix("readme")
            .unwrap_or(path)
            .trim_end_matches('/')
            .to_owned()
    }

    /// The path of the file with the text of a page.
    pub fn file(&self, page: &Url) -> String {
        let rest = page.path().strip_prefix(&self.prefix).unwrap_or_default();
        let mut names: Vec<String> = rest.split('/').map(file_name).collect();
        let last = names.pop().unwrap_or_default();
        let stem = [".html", ".htm", ".md", ".markdown", ".xhtml"]
            .iter()
            .find_map(|extension| last.strip_suffix(extension))
            .unwrap_or(&last);
        names.retain(|name| !name.is_empty());
        names.push(match stem {
            "" | "index" | "README" => "README.md".to_owned(),
            stem => format!("{stem}.md"),
        });
        names.join("/")
    }
}

/// A segment of a path as a name that every file system has and no import leaves out.
fn file_name(segment: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.%".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = segment.chars().map(kept).take(MAX_NAME).collect();
    name.trim_start_matches('.').replace('%', "-")
}

/// Whether a file with this extension is no page.
fn is_of_other_file(extension: &str) -> bool {
    const OTHERS: [&str; 28] = [
        "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "js", "json", "xml", "pdf", "zip", "gz", "tgz",
        "exe", "dmg", "mp3", "mp4", "webm", "mov", "woff", "woff2", "ttf", "csv", "docx", "xlsx", "pptx",
    ];
    OTHERS.iter().any(|other| extension.eq_ignore_ascii_case(other))
}
