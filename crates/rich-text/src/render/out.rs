//! Lines as they are put together: each begins with what the containers around it want.

#[derive(Default)]
pub struct Out {
    text: String,
    prefixes: Vec<Prefix>,
    /// Where the last line begins that is not blank, behind its prefix.
    last: usize,
    /// Whether the last line belongs to a paragraph.
    words: bool,
}

struct Prefix {
    /// For the first line, until it is written.
    first: Option<String>,
    rest: String,
}

impl Prefix {
    fn is_item(&self) -> bool {
        !self.rest.is_empty() && self.rest.chars().all(|c| c == ' ')
    }
}

impl Out {
    /// Lines from here on begin with `rest`, the first of them with `first`.
    pub fn enter(&mut self, first: &str, rest: &str) {
        self.prefixes.push(Prefix {
            first: Some(first.to_owned()),
            rest: rest.to_owned(),
        });
    }

    /// Ends that. If there was no line the first one is written for itself.
    pub fn leave(&mut self) {
        if self.prefixes.last().is_some_and(|prefix| prefix.first.is_some()) {
            self.line("");
        }
        self.prefixes.pop();
    }

    /// The lines of a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.lines(text);
        self.words = true;
    }

    /// One line or several.
    pub fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            self.line(line);
        }
    }

    pub fn line(&mut self, line: &str) {
        let begin = self.text.len();
        self.words = false;
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.text.push_str(&first),
                None => self.text.push_str(&prefix.rest),
            }
        }
        match line.is_empty() {
            true => {
                let trimmed = self.text.trim_end_matches(' ').len().max(begin);
                self.text.truncate(trimmed);
            }
            false => {
                self.last = self.text.len();
                self.text.push_str(line);
            }
        }
        self.text.push('\n');
    }

    /// A line that begins with a tag: a block of HTML before it ends only with a blank line.
    pub fn tag(&mut self, tag: &str) {
        if self.ends_with_html() {
            self.line("");
        }
        self.line(tag);
    }

    pub fn ends_with_html(&self) -> bool {
        let last = self.text.get(self.last..).unwrap_or_default();
        last.starts_with('<') && !last.ends_with("\n\n")
    }

    /// Whether the next line is the first of an item of a list, without a box before it.
    pub fn begins_item(&self) -> bool {
        let last = self.prefixes.last().filter(|prefix| prefix.is_item());
        let first = last.and_then(|prefix| prefix.first.as_deref());
        first.is_some_and(|first| !first.ends_with("] "))
    }

    pub fn in_item(&self) -> bool {
        self.prefixes.last().is_some_and(Prefix::is_item)
    }

    /// Whether the last line is one of a paragraph that is not HTML.
    pub fn ends_with_words(&self) -> bool {
        self.words && !self.ends_with_html()
    }

    pub fn finish(self) -> String {
        self.text
    }
}
