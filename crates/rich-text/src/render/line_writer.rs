//! Writer of lines with the prefixes of the enclosing containers.

#[derive(Default)]
pub struct LineWriter {
    text: String,
    prefixes: Vec<Prefix>,
    /// Offset of the last line that is not blank, after its prefix.
    last_line: usize,
    /// The last line belongs to a paragraph.
    in_paragraph: bool,
}

struct Prefix {
    /// Prefix of the first line, until that line is written.
    first: Option<String>,
    rest: String,
}

impl Prefix {
    fn is_item(&self) -> bool {
        !self.rest.is_empty() && self.rest.chars().all(|c| c == ' ')
    }
}

impl LineWriter {
    /// Adds a container: `first` is the prefix of its first line, `rest` of all others.
    pub fn enter(&mut self, first: &str, rest: &str) {
        self.prefixes.push(Prefix {
            first: Some(first.to_owned()),
            rest: rest.to_owned(),
        });
    }

    /// Removes a container. One without lines gets a line of its own.
    pub fn leave(&mut self) {
        if self.prefixes.last().is_some_and(|prefix| prefix.first.is_some()) {
            self.line("");
        }
        self.prefixes.pop();
    }

    /// Writes the lines of a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.lines(text);
        self.in_paragraph = true;
    }

    /// Writes one line or several.
    pub fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            self.line(line);
        }
    }

    pub fn line(&mut self, line: &str) {
        let begin = self.text.len();
        self.in_paragraph = false;
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
                self.last_line = self.text.len();
                self.text.push_str(line);
            }
        }
        self.text.push('\n');
    }

    /// Writes a block tag, after a blank line if an HTML block precedes: only a blank line ends that block.
    pub fn tag(&mut self, tag: &str) {
        self.end_html();
        self.line(tag);
    }

    /// Writes the lines of a source that begins with a block tag.
    pub fn tag_lines(&mut self, source: &str) {
        self.end_html();
        self.lines(source);
    }

    /// Ends an HTML block, by a blank line before the mark of a list item that begins here, and after it.
    fn end_html(&mut self) {
        if !self.ends_with_html() {
            return;
        }
        let around = self.prefixes.iter().take_while(|prefix| prefix.first.is_none());
        let around: Vec<&str> = around.map(|prefix| prefix.rest.as_str()).collect();
        if around.len() < self.prefixes.len() {
            self.text.push_str(around.concat().trim_end());
            self.text.push('\n');
        }
        self.line("");
    }

    pub fn ends_with_html(&self) -> bool {
        let last = self.text.get(self.last_line..).unwrap_or_default();
        last.starts_with('<') && !last.ends_with("\n\n")
    }

    /// Returns whether the next line is the first of a list item without a checkbox.
    pub fn begins_item(&self) -> bool {
        let last = self.prefixes.last().filter(|prefix| prefix.is_item());
        let first = last.and_then(|prefix| prefix.first.as_deref());
        first.is_some_and(|first| !first.ends_with("] "))
    }

    pub fn in_item(&self) -> bool {
        self.prefixes.last().is_some_and(Prefix::is_item)
    }

    /// Returns whether the last line is Markdown text of a paragraph.
    pub fn ends_with_text(&self) -> bool {
        self.in_paragraph && !self.ends_with_html()
    }

    pub fn finish(self) -> String {
        self.text
    }
}
