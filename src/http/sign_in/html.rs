//! Pages of HTML. Every text is escaped where it enters a page.

use std::fmt::Write;

use poem::{Response, http::StatusCode};
use saml::escape;

pub struct Page {
    title: String,
    style: String,
    body: String,
}

/// A button that sends a form to a path.
pub struct Button<'a> {
    pub to: &'a str,
    pub token: &'a str,
    pub id: Option<&'a str>,
    pub label: &'a str,
    /// What it acts on, where more than one button has this label.
    pub of: Option<&'a str>,
}

/// A field of a form. The attributes are HTML of this program, and never text of a request.
pub struct Field<'a> {
    pub label: &'a str,
    pub name: &'a str,
    pub attributes: &'static str,
}

impl Page {
    pub fn new(title: &str, style: &str) -> Self {
        Self {
            title: escape(title),
            style: escape(style),
            body: String::new(),
        }
    }

    pub fn heading(&mut self, text: &str) {
        self.push(format_args!("<h2>{}</h2>\n", escape(text)));
    }

    pub fn paragraph(&mut self, text: &str) {
        self.push(format_args!("<p>{}</p>\n", escape(text)));
    }

    /// A text that screen readers say at once.
    pub fn alert(&mut self, text: &str) {
        self.push(format_args!("<p role=\"alert\">{}</p>\n", escape(text)));
    }

    pub fn code(&mut self, text: &str) {
        self.push(format_args!("<p><code>{}</code></p>\n", escape(text)));
    }

    pub fn link(&mut self, to: &str, text: &str) {
        self.push(format_args!("<p><a href=\"{}\">{}</a></p>\n", escape(to), escape(text)));
    }

    /// A table, or a text if it would have no rows. The last cell of each row may be a button.
    pub fn table(&mut self, heads: &[&str], rows: Vec<(Vec<String>, Option<Button<'_>>)>, none: &str) {
        if rows.is_empty() {
            return self.paragraph(none);
        }
        self.push(format_args!("<table>\n<tr>"));
        for head in heads {
            self.push(format_args!("<th scope=\"col\">{}</th>", escape(head)));
        }
        self.push(format_args!("</tr>\n"));
        for (cells, button) in rows {
            self.push(format_args!("<tr>"));
            for (cell, head) in cells.iter().zip(heads) {
                self.push(format_args!("<td data-head=\"{}\">{}</td>", escape(head), escape(cell)));
            }
            if let Some(button) = button {
                self.push(format_args!("<td>"));
                self.button(&button);
                self.push(format_args!("</td>"));
            }
            self.push(format_args!("</tr>\n"));
        }
        self.push(format_args!("</table>\n"));
    }

    pub fn button(&mut self, button: &Button<'_>) {
        self.push(format_args!("<form method=\"post\" action=\"{}\">", escape(button.to)));
        self.hidden("token", button.token);
        if let Some(id) = button.id {
            self.hidden("id", id);
        }
        match button.of {
            // Buttons of a table have the same text, and what tells them apart is read out.
            Some(of) => self.push(format_args!(
                "<button aria-label=\"{0}: {1}\">{0}</button></form>\n",
                escape(button.label),
                escape(of)
            )),
            None => self.push(format_args!("<button>{}</button></form>\n", escape(button.label))),
        }
    }

    /// A form with fields for people, and hidden ones.
    pub fn form(&mut self, to: &str, hidden: &[(&str, &str)], fields: &[Field<'_>], label: &str) {
        self.push(format_args!("<form method=\"post\" action=\"{}\">", escape(to)));
        for (name, value) in hidden {
            self.hidden(name, value);
        }
        self.push(format_args!("<p class=\"fields\">"));
        for field in fields {
            self.push(format_args!(
                "<label>{} <input name=\"{}\" {}></label> ",
                escape(field.label),
                escape(field.name),
                field.attributes
            ));
        }
        self.push(format_args!("<button>{}</button></p></form>\n", escape(label)));
    }

    fn hidden(&mut self, name: &str, value: &str) {
        self.push(format_args!(
            "<input type=\"hidden\" name=\"{}\" value=\"{}\">",
            escape(name),
            escape(value)
        ));
    }

    /// Writing to a string does not fail.
    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        let written = self.body.write_fmt(text);
        debug_assert!(written.is_ok());
    }

    pub fn response(self, status: StatusCode) -> Response {
        let Self { title, style, body } = self;
        let text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title} · Bindery</title>\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"stylesheet\" href=\"{style}\"></head>\n\
             <body><main>\n<h1>{title}</h1>\n{body}</main></body>\n</html>\n"
        );
        Response::builder()
            .status(status)
            .content_type("text/html; charset=utf-8")
            .body(text)
    }
}
