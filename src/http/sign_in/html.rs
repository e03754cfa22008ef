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

    pub fn code(&mut self, text: &str) {
        self.push(format_args!("<p><code>{}</code></p>\n", escape(text)));
    }

    pub fn link(&mut self, to: &str, text: &str) {
        self.push(format_args!("<p><a href=\"{}\">{}</a></p>\n", escape(to), escape(text)));
    }

    /// A table. The last cell of each row may be a button.
    pub fn table(&mut self, heads: &[&str], rows: Vec<(Vec<String>, Option<Button<'_>>)>) {
        self.push(format_args!("<table>\n<tr>"));
        for head in heads {
            self.push(format_args!("<th scope=\"col\">{}</th>", escape(head)));
        }
        self.push(format_args!("</tr>\n"));
        for (cells, button) in rows {
            self.push(format_args!("<tr>"));
            for cell in cells {
                self.push(format_args!("<td>{}</td>", escape(&cell)));
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
        self.open_form(button.to, button.token);
        if let Some(id) = button.id {
            self.push(format_args!(
                "<input type=\"hidden\" name=\"id\" value=\"{}\">",
                escape(id)
            ));
        }
        self.push(format_args!("<button>{}</button></form>\n", escape(button.label)));
    }

    /// The form that makes a token.
    pub fn token_form(&mut self, to: &str, token: &str) {
        self.open_form(to, token);
        self.push(format_args!(
            "<p><label>Name <input name=\"label\" required maxlength=\"50\"></label> \
             <label>Days until it expires <input name=\"days\" type=\"number\" min=\"1\" max=\"365\" value=\"90\" required></label> \
             <button>Make a token</button></p></form>\n"
        ));
    }

    fn open_form(&mut self, to: &str, token: &str) {
        self.push(format_args!(
            "<form method=\"post\" action=\"{}\"><input type=\"hidden\" name=\"token\" value=\"{}\">",
            escape(to),
            escape(token)
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
