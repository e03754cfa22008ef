//! Tokens of expressions.

use crate::SyntaxError;

/// Operators and brackets. A longer one comes before those that it begins with.
const PUNCTUATORS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**", "+", "-", "*", "/",
    "%", "<", ">", "!", "~", "&", "|", "^", "?", ":", "=", ".", ",", ";", "(", ")", "[", "]", "{", "}",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Punctuator(&'static str),
    Name(String),
    /// The source of a number.
    Number(String),
    Text(String),
    /// A text with expressions begins.
    Backquote,
    End,
}

/// Reads tokens from a source. The parser decides whether a slash begins a regular expression.
#[derive(Clone)]
pub struct Lexer<'s> {
    source: &'s str,
    /// In bytes.
    at: usize,
}

impl<'s> Lexer<'s> {
    pub fn new(source: &'s str) -> Self {
        Self { source, at: 0 }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// The place of the next token in bytes.
    pub fn place(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    pub fn error<T>(&self, at: usize, message: impl Into<String>) -> Result<T, SyntaxError> {
        let before = self.source.get(..at).unwrap_or(self.source);
        Err(SyntaxError {
            message: message.into(),
            at: before.chars().count(),
        })
    }

    fn skip_space(&mut self) {
        let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
        self.at += self.rest().len() - self.rest().trim_start_matches(is_space).len();
    }

    pub fn next(&mut self) -> Result<Token, SyntaxError> {
        self.skip_space();
        let (start, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        if rest.starts_with("//") || rest.starts_with("/*") {
            return self.error(start, "Comments are not part of expressions.");
        }
        match first {
            '"' | '\'' => self.text(first).map(Token::Text),
            '`' => {
                self.at += 1;
                Ok(Token::Backquote)
            }
            '0'..='9' => self.number().map(Token::Number),
            '.' if rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => self.number().map(Token::Number),
            _ if is_name_start(first) => {
                let end = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
                self.at += end;
                Ok(Token::Name(rest.get(..end).unwrap_or_default().to_owned()))
            }
            _ => self.punctuator(start),
        }
    }

    fn punctuator(&mut self, start: usize) -> Result<Token, SyntaxError> {
        let rest = self.rest();
        // `a?.5:1` is a choice.
        let is_choice = rest.starts_with("?.") && rest.chars().nth(2).is_some_and(|c| c.is_ascii_digit());
        let mut all = PUNCTUATORS.iter().filter(|it| !(is_choice && **it == "?."));
        match all.find(|it| rest.starts_with(**it)) {
            Some(found) => {
                self.at += found.len();
                Ok(Token::Punctuator(found))
            }
            None => self.error(start, "This character is not part of expressions."),
        }
    }

    fn number(&mut self) -> Result<String, SyntaxError> {
        let (start, rest) = (self.at, self.rest());
        let mut end = 0;
        let mut previous = ' ';
        for c in rest.chars() {
            let is_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !rest.starts_with("0x");
            if !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || is_sign) {
                break;
            }
            end += c.len_utf8();
            previous = c;
        }
        let number = rest.get(..end).unwrap_or_default();
        self.at += end;
        if is_number(number) {
            Ok(number.to_owned())
        } else {
            self.error(start, "This is not a number.")
        }
    }

    /// Reads a text in quotes.
    fn text(&mut self, quote: char) -> Result<String, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.character()? {
                None | Some(Character::Plain('\n' | '\r')) => {
                    return self.error(start, "The text has no closing quote.");
                }
                Some(Character::Plain(c)) if c == quote => return Ok(text),
                Some(Character::Plain(c) | Character::Escaped(c)) => text.push(c),
            }
        }
    }

    /// Reads a part of a text with expressions, after its backquote or a closing brace. Returns whether an expression follows.
    pub fn template_part(&mut self) -> Result<(String, bool), SyntaxError> {
        let start = self.at;
        let mut text = String::new();
        loop {
            if self.rest().starts_with("${") {
                self.at += 2;
                return Ok((text, true));
            }
            match self.character()? {
                None => return self.error(start, "The text has no closing backquote."),
                Some(Character::Plain('`')) => return Ok((text, false)),
                Some(Character::Plain(c) | Character::Escaped(c)) => text.push(c),
            }
        }
    }

    fn character(&mut self) -> Result<Option<Character>, SyntaxError> {
        let start = self.at;
        let Some(c) = self.advance() else {
            return Ok(None);
        };
        if c != '\\' {
            return Ok(Some(Character::Plain(c)));
        }
        let escaped = match self.advance() {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('v') => Some('\u{b}'),
            Some('0') if !self.rest().starts_with(|c: char| c.is_ascii_digit()) => Some('\0'),
            Some('x') => self.hexadecimal(2).and_then(char::from_u32),
            Some('u') => self.unicode_escape(),
            Some(c) if !c.is_ascii_alphanumeric() && !matches!(c, '\n' | '\r') => Some(c),
            _ => None,
        };
        match escaped {
            Some(c) => Ok(Some(Character::Escaped(c))),
            None => self.error(start, "This escape is not part of expressions."),
        }
    }

    fn advance(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Reads `HHHH`, a pair of them with the second after `\u`, or `{H…}`.
    fn unicode_escape(&mut self) -> Option<char> {
        if let Some(rest) = self.rest().strip_prefix('{') {
            let digits = rest.get(..rest.find('}')?)?;
            self.at += digits.len() + 2;
            let is_code = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_hexdigit());
            return u32::from_str_radix(digits, 16)
                .ok()
                .filter(|_| is_code)
                .and_then(char::from_u32);
        }
        let first = self.hexadecimal(4)?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.at += self.rest().starts_with("\\u").then_some(2)?;
        let second = self.hexadecimal(4).filter(|code| (0xdc00..0xe000).contains(code))?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits)?;
        self.at += digits;
        let is_code = text.bytes().all(|c| c.is_ascii_hexdigit());
        u32::from_str_radix(text, 16).ok().filter(|_| is_code)
    }

    /// Reads a regular expression from its slash on, with its flags.
    pub fn regular_expression(&mut self) -> Result<&'s str, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let (mut is_class, mut is_escaped) = (false, false);
        loop {
            match self.advance() {
                None | Some('\n' | '\r' | '\u{2028}' | '\u{2029}') => {
                    return self.error(start, "The regular expression has no closing slash.");
                }
                Some(_) if is_escaped => is_escaped = false,
                Some('\\') => is_escaped = true,
                Some('[') => is_class = true,
                Some(']') => is_class = false,
                Some('/') if !is_class => break,
                Some(_) => {}
            }
        }
        let flags = self.rest().find(|c| !is_name_part(c)).unwrap_or(self.rest().len());
        let are_known = self
            .rest()
            .chars()
            .take(flags)
            .all(|c| matches!(c, 'g' | 'i' | 'm' | 's' | 'u'));
        if !are_known {
            return self.error(self.at, "The flags of regular expressions are g, i, m, s and u.");
        }
        self.at += flags;
        Ok(self.source.get(start..self.at).unwrap_or_default())
    }
}

enum Character {
    Plain(char),
    Escaped(char),
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns whether a text is a number as JavaScript writes it.
fn is_number(text: &str) -> bool {
    let of_base = |prefixes: [&str; 2], is_digit: fn(char) -> bool| {
        let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
        digits.is_some_and(|digits| !digits.is_empty() && digits.chars().all(is_digit))
    };
    let has_extra_zero =
        text.len() > 1 && text.starts_with('0') && text.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    let is_decimal = text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    of_base(["0x", "0X"], |c| c.is_ascii_hexdigit())
        || of_base(["0b", "0B"], |c| c.is_digit(2))
        || of_base(["0o", "0O"], |c| c.is_digit(8))
        || (is_decimal && !has_extra_zero && text.parse::<f64>().is_ok())
}
