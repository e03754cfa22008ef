//! The numbers of list items, which follow from the items before them and are no content.

/// The number of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    /// The line is no item of an ordered list.
    Absent,
    /// The first item of a list.
    First,
    /// The difference to the item before.
    After(i32),
}

/// An item of an ordered list.
pub(super) struct Item<'t> {
    /// The indentation, with the marks of quotes.
    pub indentation: &'t str,
    pub number: i32,
    /// The rest of the line behind the number.
    pub rest: &'t str,
}

impl<'t> Item<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let (indentation, item) = split_indentation(line);
        let digits = item.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = item.split_at_checked(digits).filter(|_| digits <= 9)?;
        let is_item = rest
            .strip_prefix(['.', ')'])
            .is_some_and(|text| text.is_empty() || text.starts_with(char::is_whitespace));
        Some(Self {
            indentation,
            number: number.parse().ok().filter(|_| is_item)?,
            rest,
        })
    }
}

/// The last items of the lists that are open at a line.
#[derive(Default)]
pub(super) struct OpenLists {
    /// With their indentations, the outermost first.
    last: Vec<(usize, i32)>,
    is_in_code: bool,
}

impl OpenLists {
    /// Reads the next line. Returns its item and the number of the item before, for [`Self::push`].
    pub fn read<'t>(&mut self, line: &'t str) -> Option<(Item<'t>, Option<i32>)> {
        let (indentation, text) = split_indentation(line);
        if text.starts_with("```") || text.starts_with("~~~") {
            self.is_in_code = !self.is_in_code;
        }
        if self.is_in_code || text.trim_end().is_empty() {
            return None;
        }
        let Some(item) = Item::of(line) else {
            self.last.retain(|(other, _)| *other < indentation.len());
            return None;
        };
        self.last.retain(|(other, _)| *other <= indentation.len());
        let before = self.last.pop_if(|(other, _)| *other == indentation.len());
        Some((item, before.map(|(_, number)| number)))
    }

    pub fn is_in_code(&self) -> bool {
        self.is_in_code
    }

    pub fn push(&mut self, item: &Item<'_>, number: i32) {
        self.last.push((item.indentation.len(), number));
    }
}

fn split_indentation(line: &str) -> (&str, &str) {
    let text = line.trim_start_matches([' ', '\t', '>']);
    let indentation = line.len() - text.len();
    let (indentation, _) = line.split_at_checked(indentation).unwrap_or_default();
    (indentation, text)
}
