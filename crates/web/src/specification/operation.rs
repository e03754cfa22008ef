//! Operations and webhooks.

use serde_json::{Map, Value};

use super::{Specified, samples, servers, try_it::Call};

impl<'s> Specified<'s> {
    /// The operation at a path. Returns `false` if the document has none.
    pub fn operation(&mut self, path: &str, method: &str) -> bool {
        let item = self.document.get("paths").and_then(|paths| paths.get(path));
        self.item(item, path, method, true)
    }

    /// The webhook with a name.
    pub fn webhook(&mut self, name: &str, method: &str) -> bool {
        let item = self.document.get("webhooks").and_then(|webhooks| webhooks.get(name));
        self.item(item, name, method, false)
    }

    fn item(&mut self, item: Option<&'s Value>, path: &str, method: &str, is_called: bool) -> bool {
        let method = method.to_lowercase();
        let Some(item) = item.map(|item| self.resolved(item).0) else {
            return false;
        };
        let Some(operation) = item.get(&method) else {
            return false;
        };
        self.html.markup("<section class=\"operation\">");
        self.endpoint(path, &method, operation);
        self.description(operation);
        let servers = match is_called {
            true => servers::addresses([operation, item, self.document]),
            false => Vec::new(),
        };
        if let Some(server) = servers.first() {
            self.title(self.words.server);
            self.html.markup("<p><code>");
            self.html.text(server);
            self.html.markup("</code></p>");
        }
        self.security(operation);
        let parameters = self.parameters_of(item, operation);
        self.parameters(&parameters);
        self.body(operation.get("requestBody"));
        self.responses(operation);
        if is_called {
            let server = servers.first().map(String::as_str).unwrap_or_default();
            let sample = samples::Sample {
                method: &method,
                address: format!("{}{path}", server.trim_end_matches('/')),
                body: self.example_of_body(operation),
                is_authorized: self.is_secured(operation),
            };
            sample.push(&mut self.html, self.words);
            self.try_it(&Call {
                operation,
                method: &method,
                path,
                servers: &servers,
                parameters: &parameters,
                credentials: self.credentials(operation),
                example: sample.body.as_deref(),
            });
        }
        self.html.markup("</section>");
        true
    }

    fn endpoint(&mut self, path: &str, method: &str, operation: &Value) {
        self.html.markup("<p class=\"endpoint\">");
        self.label("method", &method.to_uppercase());
        self.html.markup("<code>");
        self.html.text(path);
        self.html.markup("</code> ");
        if operation.get("deprecated") == Some(&Value::Bool(true)) {
            self.label("deprecated", self.words.deprecated);
        }
        self.html.markup("</p>");
    }

    fn requirements(&self, operation: &'s Value) -> impl Iterator<Item = &'s Value> {
        let own = operation.get("security").or_else(|| self.document.get("security"));
        own.and_then(Value::as_array).into_iter().flatten()
    }

    fn is_secured(&self, operation: &'s Value) -> bool {
        self.requirements(operation).next().is_some()
    }

    /// The security schemes of the first requirement.
    fn credentials(&self, operation: &'s Value) -> Option<&'s Map<String, Value>> {
        let mut requirements = self.requirements(operation).filter_map(Value::as_object);
        requirements.find(|schemes| !schemes.is_empty())
    }

    fn security(&mut self, operation: &'s Value) {
        let requirements: Vec<String> = self
            .requirements(operation)
            .filter_map(|requirement| {
                let names: Vec<&str> = requirement.as_object()?.keys().map(String::as_str).collect();
                (!names.is_empty()).then(|| names.join(" + "))
            })
            .collect();
        if requirements.is_empty() {
            return;
        }
        self.title(self.words.authorization);
        self.html.markup("<p>");
        self.html.text(&requirements.join(", "));
        self.html.markup("</p>");
    }

    fn parameters_of(&self, item: &'s Value, operation: &'s Value) -> Vec<&'s Value> {
        let all = [item, operation]
            .into_iter()
            .filter_map(|of| of.get("parameters")?.as_array());
        all.flatten().map(|parameter| self.resolved(parameter).0).collect()
    }

    fn parameters(&mut self, parameters: &[&'s Value]) {
        for (place, title) in [
            ("path", self.words.path_parameters),
            ("query", self.words.query_parameters),
            ("header", self.words.headers),
            ("cookie", self.words.cookies),
        ] {
            let here = parameters
                .iter()
                .filter(|it| it.get("in").and_then(Value::as_str) == Some(place));
            let here: Vec<&'s Value> = here.copied().collect();
            if here.is_empty() {
                continue;
            }
            self.title(title);
            self.html.markup("<ul class=\"members\">");
            for parameter in here {
                self.parameter(parameter);
            }
            self.html.markup("</ul>");
        }
    }

    fn parameter(&mut self, parameter: &'s Value) {
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        let is_required = parameter.get("required") == Some(&Value::Bool(true));
        let schema = parameter.get("schema").unwrap_or(&Value::Null);
        let about = Some(parameter).filter(|parameter| parameter.get("description").is_some());
        self.member(name, schema, is_required, about);
    }

    fn body(&mut self, body: Option<&'s Value>) {
        let Some(body) = body.map(|body| self.resolved(body).0) else {
            return;
        };
        self.title(self.words.request_body);
        self.description(body);
        self.contents(body);
    }

    fn contents(&mut self, of: &'s Value) {
        for (content_type, content) in of.get("content").and_then(Value::as_object).into_iter().flatten() {
            self.html.markup("<p class=\"limits\"><code>");
            self.html.text(content_type);
            self.html.markup("</code></p>");
            if let Some(schema) = content.get("schema") {
                self.schema(schema);
            }
        }
    }

    fn responses(&mut self, operation: &'s Value) {
        let responses = operation.get("responses").and_then(Value::as_object);
        let Some(responses) = responses.filter(|responses| !responses.is_empty()) else {
            return;
        };
        self.title(self.words.responses);
        for (status, response) in responses {
            let response = self.resolved(response).0;
            self.html.markup("<details class=\"expandable\"><summary><code>");
            self.html.text(status);
            self.html.markup("</code> ");
            let first = response.get("description").and_then(Value::as_str).unwrap_or_default();
            let mut lines = first.lines();
            self.html.text(lines.next().unwrap_or_default());
            self.html.markup("</summary>");
            if lines.next().is_some() {
                self.description(response);
            }
            self.contents(response);
            self.html.markup("</details>");
        }
    }

    /// The example of a JSON body, if the document has one.
    fn example_of_body(&self, operation: &'s Value) -> Option<String> {
        let body = self.resolved(operation.get("requestBody")?).0;
        let content = body.get("content")?.get("application/json")?;
        let example = content.get("example").or_else(|| {
            let first = content.get("examples")?.as_object()?.values().next()?;
            self.resolved(first).0.get("value")
        });
        let of_schema = || self.resolved(content.get("schema")?).0.get("example");
        let example = example.or_else(of_schema)?;
        serde_json::to_string_pretty(example)
            .ok()
            .filter(|text| text.len() <= 4_000)
    }
}
