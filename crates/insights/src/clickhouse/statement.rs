//! Statements with bound parameters.

use std::fmt::Display;

/// A statement, and the values of the parameters that its text names as `{name:Type}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    /// Names and values in the form of the `param_…` members of a request.
    pub parameters: Vec<(String, String)>,
}

/// The parameters of a statement that is being written.
#[derive(Default)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Binds a text. Returns what stands for it in the statement.
    pub fn text(&mut self, text: &str) -> String {
        // Values are read in the form of tab-separated ones.
        let escaped = text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n");
        self.bind("String", escaped)
    }

    pub fn unsigned(&mut self, number: u64) -> String {
        self.bind("UInt64", number.to_string())
    }

    pub fn signed(&mut self, number: i64) -> String {
        self.bind("Int64", number.to_string())
    }

    pub fn float(&mut self, number: f64) -> String {
        self.bind("Float64", number.to_string())
    }

    pub fn signed_list(&mut self, numbers: impl Iterator<Item = i64>) -> String {
        let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
        self.bind("Array(Int64)", format!("[{}]", numbers.join(",")))
    }

    fn bind(&mut self, kind: impl Display, value: String) -> String {
        let name = format!("p{}", self.0.len());
        let placeholder = format!("{{{name}:{kind}}}");
        self.0.push((name, value));
        placeholder
    }

    pub fn into_statement(self, text: String) -> Statement {
        Statement {
            text,
            parameters: self.0,
        }
    }
}
