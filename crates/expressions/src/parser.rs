//! The grammar of expressions. Parsing renders the code for the engine: everything is in parentheses, parameters have
//! names of their own, and texts grow only by calls of `$add` and `$text`, which limit their length.

use crate::{
    Expression, SyntaxError,
    lexer::{Lexer, Token},
    vocabulary::{FUNCTIONS, LITERALS, METHODS, NAMESPACES, ROOTS, VISITOR},
};

/// Expressions within expressions: the parser calls itself for each level.
const MAX_DEPTH: usize = 50;

const NO_CALL: &str = "Only methods, such as `.includes()`, and functions, such as `String()`, can be called.";
const NO_ASSIGNMENT: &str = "Expressions cannot assign. Write `==` to compare.";

pub fn parse(source: &str) -> Result<Expression, SyntaxError> {
    let mut parser = Parser {
        lexer: Lexer::new(source),
        parameters: Vec::new(),
        depth: 0,
        depends_on_visitor: false,
    };
    let body = parser.expression()?;
    while parser.accept(";")? {}
    let at = parser.lexer.place();
    match parser.peek()? {
        Token::End => Ok(Expression {
            code: format!("(visitor,space,page)=>({body})").into(),
            depends_on_visitor: parser.depends_on_visitor,
        }),
        token => parser.unexpected(at, &token),
    }
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The parameters of the functions around the current place.
    parameters: Vec<String>,
    depth: usize,
    depends_on_visitor: bool,
}

type Code = Result<String, SyntaxError>;

/// The operand before an operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Plain,
    /// With a sign or `!` before it and no parentheses around.
    Prefixed,
    /// `a && b` or `a || b` without parentheses.
    Logical,
    /// `a ?? b` without parentheses.
    Coalescing,
}

impl Parser<'_> {
    fn peek(&self) -> Result<Token, SyntaxError> {
        self.lexer.clone().next()
    }

    fn accept(&mut self, punctuator: &str) -> Result<bool, SyntaxError> {
        let mut ahead = self.lexer.clone();
        let is_next = matches!(ahead.next()?, Token::Punctuator(it) if it == punctuator);
        if is_next {
            self.lexer = ahead;
        }
        Ok(is_next)
    }

    fn expect(&mut self, punctuator: &str) -> Result<(), SyntaxError> {
        let at = self.lexer.place();
        if self.accept(punctuator)? {
            return Ok(());
        }
        match self.peek()? {
            Token::End => self.lexer.error(at, format!("A `{punctuator}` is missing.")),
            token => self.unexpected(at, &token),
        }
    }

    fn unexpected<T>(&self, at: usize, token: &Token) -> Result<T, SyntaxError> {
        let message = match token {
            Token::End => "The expression is incomplete.".to_owned(),
            Token::Punctuator("{" | "}") => "Objects and blocks are not part of expressions.".to_owned(),
            Token::Punctuator("...") => "Spreading is not part of expressions.".to_owned(),
            Token::Punctuator("(") => NO_CALL.to_owned(),
            Token::Punctuator(it) if is_assignment(it) => NO_ASSIGNMENT.to_owned(),
            Token::Punctuator(it) => format!("`{it}` is not expected here."),
            Token::Name(it) | Token::Number(it) => format!("`{it}` is not expected here."),
            Token::Text(_) | Token::Backquote => "A text is not expected here.".to_owned(),
        };
        self.lexer.error(at, message)
    }

    fn expression(&mut self) -> Code {
        let at = self.lexer.place();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("Expressions are nested at most {MAX_DEPTH} levels deep.");
            return self.lexer.error(at, message);
        }
        let code = match self.parameters_of_function()? {
            Some(parameters) => self.function(parameters),
            None => self.choice(),
        };
        self.depth -= 1;
        code
    }

    /// Reads `a =>` or `(a, b) =>`; anything else is left unread.
    fn parameters_of_function(&mut self) -> Result<Option<Vec<String>>, SyntaxError> {
        let before = self.lexer.clone();
        let mut places = Vec::new();
        let mut is_list = true;
        if self.accept("(")? {
            while let Token::Name(name) = self.peek()? {
                places.push((self.lexer.place(), name));
                self.lexer.next()?;
                if !self.accept(",")? {
                    break;
                }
            }
            is_list = self.accept(")")?;
        } else if let Token::Name(name) = self.peek()? {
            places.push((self.lexer.place(), name));
            self.lexer.next()?;
        }
        if !is_list || !self.accept("=>")? {
            self.lexer = before;
            return Ok(None);
        }
        let known = [ROOTS, LITERALS, FUNCTIONS, NAMESPACES];
        let mut parameters = Vec::new();
        for (at, name) in places {
            if known.iter().any(|names| names.contains(&name.as_str()))
                || !name.is_ascii()
                || parameters.contains(&name)
            {
                return self
                    .lexer
                    .error(at, format!("`{name}` cannot be the name of a parameter."));
            }
            parameters.push(name);
        }
        Ok(Some(parameters))
    }

    fn function(&mut self, parameters: Vec<String>) -> Code {
        let names: Vec<String> = parameters.iter().map(|name| parameter(name)).collect();
        let outer = self.parameters.len();
        self.parameters.extend(parameters);
        let body = self.expression();
        self.parameters.truncate(outer);
        Ok(format!("(({})=>({}))", names.join(","), body?))
    }

    fn choice(&mut self) -> Code {
        let (condition, _) = self.binary(0)?;
        if !self.accept("?")? {
            return Ok(condition);
        }
        let if_true = self.expression()?;
        self.expect(":")?;
        let if_false = self.expression()?;
        Ok(format!("({condition}?{if_true}:{if_false})"))
    }

    /// Parses operators that bind at least this strongly.
    fn binary(&mut self, strength: u8) -> Result<(String, Operand), SyntaxError> {
        let (mut left, mut operand) = self.prefixed()?;
        loop {
            let at = self.lexer.place();
            let mut ahead = self.lexer.clone();
            let operator = match ahead.next()? {
                Token::Punctuator(it) => it,
                Token::Name(name) if name == "in" => "in",
                _ => return Ok((left, operand)),
            };
            let Some(of_operator) = binding_strength(operator).filter(|it| *it >= strength) else {
                return Ok((left, operand));
            };
            self.lexer = ahead;
            if operator == "**" && operand == Operand::Prefixed {
                return self.lexer.error(at, "The sign before `**` needs parentheses.");
            }
            // Only powers group to the right.
            let (right, right_operand) = self.binary(of_operator + u8::from(operator != "**"))?;
            let result = match operator {
                "&&" | "||" => Operand::Logical,
                "??" => Operand::Coalescing,
                _ => Operand::Plain,
            };
            let mixed = match result {
                Operand::Coalescing => Operand::Logical,
                Operand::Logical => Operand::Coalescing,
                Operand::Plain | Operand::Prefixed => Operand::Prefixed,
            };
            if result != Operand::Plain && (operand == mixed || right_operand == mixed) {
                return self.lexer.error(at, "`??` beside `&&` or `||` needs parentheses.");
            }
            left = match operator {
                "+" => format!("$add({left},{right})"),
                _ => format!("({left} {operator} {right})"),
            };
            operand = result;
        }
    }

    fn prefixed(&mut self) -> Result<(String, Operand), SyntaxError> {
        let at = self.lexer.place();
        let mut ahead = self.lexer.clone();
        let prefix = match ahead.next()? {
            Token::Punctuator(it @ ("!" | "-" | "+" | "~")) => it,
            Token::Name(name) if name == "typeof" => "typeof",
            _ => return Ok((self.member()?, Operand::Plain)),
        };
        self.lexer = ahead;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self
                .lexer
                .error(at, format!("Expressions are nested at most {MAX_DEPTH} levels deep."));
        }
        let (operand, _) = self.prefixed()?;
        self.depth -= 1;
        Ok((format!("({prefix} {operand})"), Operand::Prefixed))
    }

    /// Parses members and calls of methods.
    fn member(&mut self) -> Code {
        let mut code = self.primary()?;
        loop {
            let at = self.lexer.place();
            let mut ahead = self.lexer.clone();
            let dot = match ahead.next()? {
                Token::Punctuator(it @ ("." | "?.")) => it,
                Token::Punctuator("[") => {
                    self.lexer = ahead;
                    let index = self.expression()?;
                    self.expect("]")?;
                    code = format!("{code}[{index}]");
                    continue;
                }
                token @ (Token::Punctuator("(") | Token::Backquote) => return self.unexpected(at, &token),
                _ => return Ok(code),
            };
            self.lexer = ahead;
            code = self.named_member(&code, dot)?;
        }
    }

    fn named_member(&mut self, object: &str, dot: &str) -> Code {
        let at = self.lexer.place();
        match self.lexer.next()? {
            Token::Name(name) => {
                if self.accept("(")? {
                    if !METHODS.contains(&name.as_str()) {
                        return self
                            .lexer
                            .error(at, format!("`{name}` is not a method of expressions."));
                    }
                    let arguments = self.list(")")?;
                    return Ok(format!("{object}{dot}{name}({arguments})"));
                }
                if name.is_ascii() {
                    return Ok(format!("{object}{dot}{name}"));
                }
                let optional = if dot == "?." { dot } else { "" };
                Ok(format!("{object}{optional}[{}]", quoted(&name)))
            }
            Token::Punctuator("[") if dot == "?." => {
                let index = self.expression()?;
                self.expect("]")?;
                Ok(format!("{object}?.[{index}]"))
            }
            token => self.unexpected(at, &token),
        }
    }

    /// Parses expressions up to a closing bracket.
    fn list(&mut self, closing: &str) -> Code {
        let mut items = Vec::new();
        while !self.accept(closing)? {
            items.push(self.expression()?);
            if !self.accept(",")? {
                self.expect(closing)?;
                break;
            }
        }
        Ok(items.join(","))
    }

    fn primary(&mut self) -> Code {
        let at = self.lexer.place();
        let before = self.lexer.clone();
        match self.lexer.next()? {
            Token::Number(number) => Ok(format!("({number})")),
            Token::Text(text) => Ok(quoted(&text)),
            Token::Backquote => self.template(),
            Token::Name(name) => self.name(at, name),
            Token::Punctuator("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(format!("({inner})"))
            }
            Token::Punctuator("[") => Ok(format!("[{}]", self.list("]")?)),
            Token::Punctuator("/" | "/=") => {
                self.lexer = before;
                Ok(format!("({})", self.lexer.regular_expression()?))
            }
            token => self.unexpected(at, &token),
        }
    }

    fn template(&mut self) -> Code {
        let mut parts = Vec::new();
        loop {
            let (text, has_expression) = self.lexer.template_part()?;
            parts.push(quoted(&text));
            if !has_expression {
                return Ok(format!("$text({})", parts.join(",")));
            }
            parts.push(self.expression()?);
            self.expect("}")?;
        }
    }

    fn name(&mut self, at: usize, name: String) -> Code {
        if self.parameters.contains(&name) {
            return Ok(parameter(&name));
        }
        let is_in = |names: &[&str]| names.contains(&name.as_str());
        if is_in(FUNCTIONS) && self.accept("(")? {
            let arguments = self.list(")")?;
            return Ok(format!("{name}({arguments})"));
        }
        self.depends_on_visitor |= name == VISITOR;
        if is_in(LITERALS) {
            return Ok(format!("({name})"));
        }
        if is_in(ROOTS) || is_in(FUNCTIONS) || is_in(NAMESPACES) {
            return Ok(name);
        }
        let message =
            format!("`{name}` is not known. Expressions have `visitor.claims`, `space.vars` and `page.vars`.");
        self.lexer.error(at, message)
    }
}

/// The name of a parameter in the code for the engine.
fn parameter(name: &str) -> String {
    format!("p_{name}")
}

/// A text as JavaScript writes it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_assignment(punctuator: &str) -> bool {
    let compares = matches!(punctuator, "==" | "===" | "!=" | "!==" | "<=" | ">=");
    matches!(punctuator, "++" | "--") || (punctuator.ends_with('=') && !compares)
}

/// The precedence of an operator.
fn binding_strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "??" => 1,
        "||" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" | "===" | "!==" => 7,
        "<" | ">" | "<=" | ">=" | "in" => 8,
        "<<" | ">>" | ">>>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        "**" => 12,
        _ => return None,
    })
}
