//! Expressions: the conditions that decide what a visitor sees, and the expressions in texts.
//!
//! Both are written in a part of JavaScript, over `visitor.claims`, `space.vars` and `page.vars`. Two layers keep them
//! within limits. The parser accepts expressions without statements, assignments and calls of values, so that every
//! step that repeats is a method of ours, and gives the engine its own rendering of them. The engine, QuickJS, has only
//! these methods, counts their steps, and has limits of memory, stack and time of its own.
//!
//! Neither time nor randomness exists: a value depends on nothing but the data.

mod claims;
mod engine;
mod evaluator;
mod holding;
mod known;
mod lexer;
mod parser;
mod schema;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::{fmt, sync::Arc};

pub use claims::VisitorClaims;
pub use evaluator::{Batch, Data, Evaluator, Outcome, Overloaded};
pub use known::Holding;
pub use schema::{SchemaError, TemplateCondition, VisitorSchema};

/// The longest expression in characters.
pub const MAX_LENGTH: usize = 1024;

/// The longest value of an expression in a text, in characters.
pub const MAX_VALUE: usize = 1000;

/// An error in the source of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// A sentence that describes the error.
    pub message: String,
    /// The place of the error: the number of characters before it.
    pub at: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (character {})", self.message, self.at + 1)
    }
}

impl std::error::Error for SyntaxError {}

/// The reason why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// The expression fails on these data.
    Failed,
    /// The expression reached a limit of steps, memory or time.
    LimitReached,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Failed => "The expression fails on these data.",
            Self::LimitReached => "The expression reached a limit of steps, memory or time.",
        })
    }
}

impl std::error::Error for EvalError {}

/// An expression that was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The expression as the engine gets it.
    code: Arc<str>,
    depends_on_visitor: bool,
}

impl Expression {
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        let length = source.chars().count();
        if length > MAX_LENGTH {
            let message = format!("An expression has at most {MAX_LENGTH} characters.");
            return Err(SyntaxError {
                message,
                at: MAX_LENGTH,
            });
        }
        parser::parse(source)
    }

    /// Returns whether the value can differ between visitors.
    pub fn depends_on_visitor(&self) -> bool {
        self.depends_on_visitor
    }
}

/// A condition that was parsed. A blank condition holds for everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition(Option<Expression>);

impl Condition {
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        if source.trim().is_empty() {
            return Ok(Self(None));
        }
        Expression::parse(source).map(|expression| Self(Some(expression)))
    }

    /// Returns whether the condition can differ between visitors.
    pub fn depends_on_visitor(&self) -> bool {
        self.0.as_ref().is_some_and(Expression::depends_on_visitor)
    }
}
