//! Blocks and inlines as lines of Markdown.

/// Deeper quotes, lists and marks are those of the level above: each level is written again in each line.
const MAX_LEVELS: usize = 12;

/// What is owed between two texts.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Line,
    Block,
}

/// What lines begin with.
struct Container {
    /// The beginning of the first line, until that is written.
    first: Option<String>,
    rest: String,
}

/// A mark or a link, which is written before its first word.
struct Inline {
    element: String,
    open: &'static str,
    close: String,
    is_open: bool,
}

#[derive(Default)]
pub struct Writer {
    text: String,
    containers: Vec<Container>,
    inlines: Vec<Inline>,
    gap: Gap,
    space: bool,
    at_line_start: bool,
    /// Everything is one line.
    pub is_flat: bool,
}

impl Writer {
    /// For the cell of a table.
    pub fn flat() -> Self {
        Self {
            is_flat: true,
            ..Self::default()
        }
    }

    pub fn finish(mut self) -> String {
        self.close_inlines();
        self.text
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Forgets what was written.
    pub fn clear(&mut self) {
        (self.text, self.gap) = (String::new(), Gap::None);
    }

    /// Ends a block.
    pub fn block(&mut self) {
        self.end_line(if self.is_pending() { Gap::None } else { Gap::Block });
    }

    pub fn next_line(&mut self) {
        self.end_line(Gap::Line);
    }

    /// Ends a block that the next one follows at once.
    pub fn only_line(&mut self) {
        self.gap = Gap::None;
        self.end_line(Gap::Line);
    }

    fn end_line(&mut self, gap: Gap) {
        self.space = true;
        if !self.is_flat {
            self.gap = self.gap.max(gap);
        }
    }

    /// Whether the innermost container has no text yet.
    pub fn is_pending(&self) -> bool {
        self.containers.last().is_some_and(|last| last.first.is_some())
    }

    /// The number of containers, to leave those that are opened from now on.
    pub fn level(&self) -> usize {
        self.containers.len()
    }

    pub fn enter(&mut self, first: Option<&str>, rest: &str) {
        if self.containers.len() < MAX_LEVELS && !self.is_flat {
            self.containers.push(Container {
                first: first.map(str::to_owned),
                rest: rest.to_owned(),
            });
        }
    }

    pub fn leave_to(&mut self, level: usize) {
        self.containers.truncate(level);
    }

    pub fn open(&mut self, element: &str, open: &'static str, close: String) {
        let is_same = self.inlines.iter().any(|inline| inline.open == open);
        if self.inlines.len() < MAX_LEVELS {
            self.inlines.push(Inline {
                element: element.to_owned(),
                open: if is_same { "" } else { open },
                close: if is_same { String::new() } else { close },
                is_open: false,
            });
        }
    }

    pub fn close(&mut self, element: &str) {
        let at = self.inlines.iter().rposition(|inline| inline.element == element);
        for inline in at.map(|at| self.inlines.split_off(at)).into_iter().flatten().rev() {
            if inline.is_open {
                self.text.push_str(&inline.close);
            }
        }
    }

    fn close_inlines(&mut self) {
        for inline in self.inlines.iter_mut().rev().filter(|inline| inline.is_open) {
            self.text.push_str(&inline.close);
            inline.is_open = false;
        }
    }

    /// Writes words, whose white space is that of HTML.
    pub fn words(&mut self, words: &str) {
        let mut characters = words.chars().peekable();
        while let Some(c) = characters.next() {
            if c.is_ascii_whitespace() {
                self.space = true;
                continue;
            }
            self.begin();
            if self.needs_escape(c, characters.peek().copied()) {
                self.text.push('\\');
            }
            self.text.push(c);
            self.at_line_start &= c.is_ascii_digit();
        }
    }

    /// Writes Markdown within a line.
    pub fn raw(&mut self, markdown: &str) {
        self.begin();
        self.text.push_str(markdown);
        self.at_line_start = false;
    }

    /// Writes lines as they are.
    pub fn lines(&mut self, lines: &str) {
        self.block();
        self.begin_line();
        for (at, line) in lines.split('\n').enumerate() {
            if at > 0 {
                self.new_line();
            }
            self.text.push_str(line);
        }
        self.block();
    }

    pub fn hard_break(&mut self) {
        if self.is_flat {
            self.raw("<br>");
        } else if !self.text.is_empty() && self.gap == Gap::None {
            self.close_inlines();
            self.text.push('\\');
            self.gap = Gap::Line;
        }
    }

    fn begin(&mut self) {
        let is_first = self.text.is_empty();
        if is_first || self.gap != Gap::None {
            self.begin_line();
        } else if self.space {
            self.text.push(' ');
        }
        self.space = false;
        for inline in self.inlines.iter_mut().filter(|inline| !inline.is_open) {
            self.text.push_str(inline.open);
            inline.is_open = true;
            self.at_line_start = false;
        }
    }

    fn begin_line(&mut self) {
        self.close_inlines();
        if !self.text.is_empty() {
            if self.gap == Gap::Block {
                self.text.push('\n');
                let open = self.containers.iter().filter(|container| container.first.is_none());
                let start: String = open.map(|container| container.rest.as_str()).collect();
                self.text.push_str(start.trim_end());
            }
            self.text.push('\n');
        }
        (self.gap, self.space, self.at_line_start) = (Gap::None, false, true);
        for container in &mut self.containers {
            match container.first.take() {
                Some(first) => self.text.push_str(&first),
                None => self.text.push_str(&container.rest),
            }
        }
    }

    fn new_line(&mut self) {
        self.text.push('\n');
        for container in &self.containers {
            self.text.push_str(&container.rest);
        }
    }

    fn needs_escape(&self, c: char, after: Option<char>) -> bool {
        let before = self.text.chars().next_back();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '$' => true,
            '|' => self.is_flat || self.at_line_start,
            '_' => !(is_word(before) && is_word(after)),
            '{' => after.is_none_or(|after| after == '%'),
            '&' => after.is_none_or(|after| after.is_ascii_alphanumeric() || after == '#'),
            '!' => after.is_none_or(|after| after == '['),
            ':' => self.at_line_start || (!is_word(before) && is_word(after)),
            '(' => before == Some(']'),
            '#' | '>' | '+' | '-' | '=' => self.at_line_start,
            '.' | ')' => self.at_line_start && before.is_some_and(|before| before.is_ascii_digit()),
            _ => false,
        }
    }
}
