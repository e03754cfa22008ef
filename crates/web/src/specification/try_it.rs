//! A form by which readers call an operation. A script shows it: browsers send the request themselves.

use serde_json::{Map, Value};

use super::{Specified, types::text_of};

/// Fields for what proves who the reader is.
const MAX_CREDENTIALS: usize = 4;

/// Bytes of a value that stands in a field.
const MAX_VALUE: usize = 200;

/// The request of the form.
pub struct Call<'s, 'c> {
    pub operation: &'s Value,
    /// In lower case.
    pub method: &'c str,
    pub path: &'c str,
    pub servers: &'c [String],
    pub parameters: &'c [&'s Value],
    /// The names of the security schemes that the operation requires.
    pub credentials: Option<&'s Map<String, Value>>,
    /// The example of a JSON body.
    pub example: Option<&'c str>,
}

/// The place of the value of a field in the request.
struct Field<'f> {
    /// `path`, `query` or `header`.
    place: &'f str,
    name: &'f str,
    /// Before the value.
    prefix: &'static str,
}

impl<'s> Specified<'s> {
    pub(super) fn try_it(&mut self, call: &Call<'s, '_>) {
        let is_hidden = |of: &Value| of.get("x-hideTryItPanel") == Some(&Value::Bool(true));
        // Browsers send no other methods, and paths that do not begin with a slash would change the host.
        let is_sent = call.method != "trace" && call.path.starts_with('/');
        if !is_sent || is_hidden(call.operation) || is_hidden(self.document) || !self.take() {
            return;
        }
        let servers: Vec<&String> = call
            .servers
            .iter()
            .filter(|server| self.room.origins.add(server))
            .collect();
        if servers.is_empty() {
            return;
        }
        self.html.markup("<details class=\"expandable try\" hidden><summary>");
        self.html.text(self.words.try_it);
        self.html.markup("</summary>");
        let form = self.html.open("form").attribute("autocomplete", "off");
        let form = form.attribute("data-method", &call.method.to_uppercase());
        let form = form.attribute("data-path", call.path);
        drop(form.attribute("data-failed", self.words.try_failed));
        self.html.markup("<label>");
        self.html.text(self.words.server);
        self.html.markup(" <select data-in=\"server\">");
        for server in servers {
            self.html.markup("<option>");
            self.html.text(server);
            self.html.markup("</option>");
        }
        self.html.markup("</select></label>");
        for parameter in call.parameters {
            self.parameter_field(parameter);
        }
        let names = call.credentials.into_iter().flat_map(Map::keys);
        for name in names.take(MAX_CREDENTIALS) {
            self.credential(name);
        }
        self.body_field(call);
        self.html.markup("<button class=\"button primary\" type=\"submit\">");
        self.html.text(self.words.send);
        self.html.markup(
            "</button><p role=\"status\"></p>\
             <figure class=\"code\" hidden><pre dir=\"ltr\" tabindex=\"0\"><code></code></pre></figure></form></details>",
        );
    }

    fn parameter_field(&mut self, parameter: &'s Value) {
        let (name, place) = (text_of(parameter, "name"), text_of(parameter, "in"));
        if !matches!(place, "path" | "query" | "header") || !self.take() {
            return;
        }
        let schema = self.resolved_of(parameter.get("schema"));
        let example = parameter.get("example").or_else(|| schema.get("example"));
        let value = example.or_else(|| schema.get("default")).map(plain);
        let value = value.filter(|value| value.len() <= MAX_VALUE);
        let is_required = place == "path" || parameter.get("required") == Some(&Value::Bool(true));
        self.html.markup("<label><code>");
        self.html.text(name);
        self.html.markup("</code> ");
        let prefix = "";
        let field = Field { place, name, prefix };
        // A value that may be left out is not sent unless the reader wants it.
        let (value, hint) = if is_required { (value, None) } else { (None, value) };
        self.input(&field, "plain", (value, hint), is_required);
    }

    /// The field for a security scheme that browsers can send.
    fn credential(&mut self, name: &str) {
        let schemes = self.document.get("components").and_then(|of| of.get("securitySchemes"));
        let scheme = self.resolved_of(schemes.and_then(|schemes| schemes.get(name)));
        let is = |member: &str, value: &str| text_of(scheme, member).eq_ignore_ascii_case(value);
        let header = |prefix| ("header", "Authorization", prefix);
        let (place, field, prefix) = match text_of(scheme, "type") {
            "apiKey" if is("in", "header") || is("in", "query") => (text_of(scheme, "in"), text_of(scheme, "name"), ""),
            "http" if is("scheme", "basic") => header("Basic "),
            "http" if is("scheme", "bearer") => header("Bearer "),
            "oauth2" | "openIdConnect" => header("Bearer "),
            _ => return,
        };
        self.html.markup("<label>");
        self.html.text(self.words.authorization);
        self.html.markup(" <code>");
        self.html.text(name);
        self.html.markup("</code> ");
        let hint = (prefix == "Basic ").then(|| "user:password".to_owned());
        let name = field;
        self.input(&Field { place, name, prefix }, "secret", (None, hint), false);
    }

    fn input(&mut self, field: &Field<'_>, class: &str, (value, hint): (Option<String>, Option<String>), must: bool) {
        let input = self
            .html
            .open("input")
            .attribute("type", "text")
            .attribute("class", class)
            .attribute("spellcheck", "false");
        let input = input
            .attribute("data-in", field.place)
            .attribute("data-name", field.name);
        let input = input.optional("data-prefix", Some(field.prefix).filter(|prefix| !prefix.is_empty()));
        let input = input
            .optional("value", value.as_deref())
            .optional("placeholder", hint.as_deref());
        drop(input.flag("required", must));
        self.html.markup("</label>");
    }

    /// The field for a body that is text.
    fn body_field(&mut self, call: &Call<'s, '_>) {
        let body = self.resolved_of(call.operation.get("requestBody"));
        let types = body.get("content").and_then(Value::as_object);
        let mut types = types.into_iter().flatten().map(|(name, _)| name.as_str());
        let has_body = !matches!(call.method, "get" | "head");
        let json = types.clone().find(|name| *name == "application/json");
        let is_text = |name: &&str| !name.starts_with("multipart/") && *name != "application/octet-stream";
        let Some(content_type) = json.or_else(|| types.find(is_text)).filter(|_| has_body) else {
            return;
        };
        self.html.markup("<label>");
        self.html.text(self.words.request_body);
        self.html.markup(" <code>");
        self.html.text(content_type);
        self.html.markup("</code> ");
        let area = self
            .html
            .open("textarea")
            .attribute("dir", "ltr")
            .attribute("rows", "8");
        let area = area.attribute("spellcheck", "false").attribute("data-in", "body");
        drop(area.attribute("data-name", content_type));
        self.html
            .text(call.example.filter(|_| json.is_some()).unwrap_or_default());
        self.html.markup("</textarea></label>");
    }

    /// The object that a reference leads to; `null` if there is none.
    fn resolved_of(&self, value: Option<&'s Value>) -> &'s Value {
        value.map_or(&Value::Null, |value| self.resolved(value).0)
    }
}

/// A value as readers write it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
