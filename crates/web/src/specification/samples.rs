//! Samples of requests in three languages.

use crate::{Html, Words, code};

/// A request that readers can copy.
pub struct Sample<'s> {
    /// In lower case.
    pub method: &'s str,
    pub address: String,
    /// JSON.
    pub body: Option<String>,
    pub is_authorized: bool,
}

impl Sample<'_> {
    pub fn push(&self, html: &mut Html, words: &Words) {
        html.markup("<p class=\"part\">");
        html.text(words.samples);
        html.markup("</p>");
        for (name, language, text) in [
            ("curl", "bash", self.curl()),
            ("JavaScript", "javascript", self.javascript()),
            ("Python", "python", self.python()),
        ] {
            html.markup("<details class=\"expandable\"><summary>");
            html.text(name);
            html.markup("</summary><figure class=\"code\"><pre dir=\"ltr\" tabindex=\"0\"><code>");
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            match code::highlight(language, &lines) {
                Some(lines) => lines.iter().for_each(|line| {
                    html.markup("<span class=\"line\">");
                    html.append(line);
                    html.markup("\n</span>");
                }),
                None => html.text(&text),
            }
            html.markup("</code></pre></figure></details>");
        }
    }

    fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let authorization = self.is_authorized.then_some(("Authorization", "Bearer TOKEN"));
        let body = self.body.is_some().then_some(("Content-Type", "application/json"));
        authorization.into_iter().chain(body).collect()
    }

    fn curl(&self) -> String {
        let mut text = format!("curl -X {} {}", self.method.to_uppercase(), quoted(&self.address));
        for (name, value) in self.headers() {
            text.push_str(&format!(" \\\n  -H '{name}: {value}'"));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!(" \\\n  -d {}", quoted(body)));
        }
        text
    }

    fn javascript(&self) -> String {
        let mut text = format!(
            "const response = await fetch({}, {{\n  method: \"{}\",\n",
            literal(&self.address),
            self.method.to_uppercase()
        );
        let headers: Vec<String> = self
            .headers()
            .iter()
            .map(|(name, value)| format!("\"{name}\": \"{value}\""))
            .collect();
        if !headers.is_empty() {
            text.push_str(&format!("  headers: {{ {} }},\n", headers.join(", ")));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("  body: JSON.stringify({}),\n", body.replace('\n', "\n  ")));
        }
        text + "});\nconst answer = await response.json();"
    }

    fn python(&self) -> String {
        let mut text = format!(
            "import requests\n\nresponse = requests.{}(\n    {},\n",
            self.method,
            literal(&self.address)
        );
        let headers: Vec<String> = self
            .headers()
            .iter()
            .map(|(name, value)| format!("\"{name}\": \"{value}\""))
            .collect();
        if !headers.is_empty() {
            text.push_str(&format!("    headers={{{}}},\n", headers.join(", ")));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("    data={},\n", literal(body)));
        }
        text + ")\nanswer = response.json()"
    }
}

/// A text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text in double quotes, as JavaScript and Python read it.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
