//! Parameters, headers and bodies compared.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    ChangeKind, Rule,
    comparison::{Comparison, UnitKind},
    effects::{Effect, Uses},
    frame::{Frame, shown},
    node::Node,
};

impl<'d> Comparison<'d> {
    pub fn parameter(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        let style = match after.text("in") {
            Some("query" | "cookie") => "form",
            _ => "simple",
        };
        self.field(frame, (before, after), style, uses);
    }

    pub fn header(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        self.field(frame, (before, after), "simple", uses);
    }

    /// A parameter or a header.
    fn field(
        &mut self,
        frame: &mut Frame<'d>,
        (before, after): (&Node<'d>, &Node<'d>),
        default_style: &'static str,
        uses: Uses,
    ) {
        const KNOWN: [&str; 13] = [
            "name",
            "in",
            "required",
            "deprecated",
            "allowEmptyValue",
            "style",
            "explode",
            "allowReserved",
            "schema",
            "content",
            "description",
            "example",
            "examples",
        ];
        self.texts(frame, before, after, &["description", "example", "examples"]);
        self.flags(frame, (before, after), uses);
        let style = |node: &Node<'d>| node.text("style").unwrap_or(default_style);
        let explodes = |node: &Node<'d>| match node.value.get("explode") {
            Some(Value::Bool(explodes)) => *explodes,
            _ => style(node) == "form",
        };
        if (style(before), explodes(before)) != (style(after), explodes(after)) {
            let verdict = (Rule::Parameter, ChangeKind::Changed, Effect::Differs);
            self.tell(frame, verdict, (&after.place, uses), || {
                "The value is written in another way (`style`, `explode`).".to_owned()
            });
        }
        self.schema_member(frame, (before, after), uses);
        self.content(frame, (before, after), Effect::Widens, uses);
        self.rest(frame, (before, after), &KNOWN, uses);
    }

    /// The members that are true or false.
    fn flags(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), uses: Uses) {
        self.required_flag(frame, (before, after), uses);
        self.deprecated_flag(frame, (before, after), uses);
        for name in ["allowEmptyValue", "allowReserved"] {
            let effect = match (before.is_true(name), after.is_true(name)) {
                (true, false) => Effect::Narrows,
                (false, true) => Effect::Widens,
                _ => continue,
            };
            let nodes = (before.get(name), after.get(name));
            self.one_or_other(frame, nodes, (Rule::Parameter, effect), uses, || {
                format!("`{name}` is another one.")
            });
        }
    }

    fn required_flag(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), uses: Uses) {
        let (effect, message) = match (before.is_true("required"), after.is_true("required")) {
            (false, true) => (Effect::Narrows, "The value is required."),
            (true, false) => (Effect::Widens, "The value is not required any more."),
            _ => return,
        };
        let nodes = (before.get("required"), after.get("required"));
        self.one_or_other(frame, nodes, (Rule::Required, effect), uses, || message.to_owned());
    }

    pub fn deprecated_flag(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), uses: Uses) {
        let message = match (before.is_true("deprecated"), after.is_true("deprecated")) {
            (false, true) => "It is deprecated.",
            (true, false) => "It is not deprecated any more.",
            _ => return,
        };
        let nodes = (before.get("deprecated"), after.get("deprecated"));
        self.one_or_other(frame, nodes, (Rule::Deprecated, Effect::None), uses, || {
            message.to_owned()
        });
    }

    fn schema_member(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), uses: Uses) {
        match (before.get("schema"), after.get("schema")) {
            (Some(former), Some(schema)) => self.schemas(frame, vec![former], vec![schema], uses),
            (None, Some(schema)) => {
                let nodes = (None, Some(schema));
                self.one_or_other(frame, nodes, (Rule::Type, Effect::Narrows), uses, || {
                    "There is a schema.".to_owned()
                });
            }
            (former, None) => {
                self.one_or_other(frame, (former, None), (Rule::Type, Effect::Widens), uses, || {
                    "There is no schema any more.".to_owned()
                });
            }
        }
    }

    /// Bodies by their media types, the names of which know no case.
    fn content(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), added: Effect, uses: Uses) {
        let (before, mut after) = (
            self.without_case(before, "content"),
            self.without_case(after, "content"),
        );
        for (name, former) in before {
            match after.remove(&name) {
                Some(found) => self.media_type(frame, &former, &found, uses),
                None => {
                    let verdict = (Rule::MediaType, ChangeKind::Removed, Effect::Differs);
                    self.tell(frame, verdict, (&former.place, uses), || {
                        format!("The media type {} was removed.", shown(&name))
                    });
                }
            }
        }
        for (name, found) in after {
            let verdict = (Rule::MediaType, ChangeKind::Added, added);
            self.tell(frame, verdict, (&found.place, uses), || {
                format!("There is another media type, {}.", shown(&name))
            });
        }
    }

    fn without_case(&mut self, parent: &Node<'d>, name: &'static str) -> BTreeMap<String, Node<'d>> {
        let members = parent.get(name).into_iter().flat_map(|node| node.members());
        let members = members.take_while(|_| self.budget.take(1));
        members.map(|(name, node)| (name.to_ascii_lowercase(), node)).collect()
    }

    fn media_type(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        self.texts(frame, before, after, &["example", "examples"]);
        self.schema_member(frame, (before, after), uses);
        self.rest(frame, (before, after), &["example", "examples", "schema"], uses);
    }

    pub fn request_body(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        self.texts(frame, before, after, &["description"]);
        self.required_flag(frame, (before, after), uses);
        self.content(frame, (before, after), Effect::Widens, uses);
        self.rest(frame, (before, after), &["description", "required", "content"], uses);
    }

    pub fn response(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, uses: Uses) {
        self.texts(frame, before, after, &["description", "summary"]);
        let (former, mut found) = (
            self.without_case(before, "headers"),
            self.without_case(after, "headers"),
        );
        for (name, header) in former {
            match found.remove(&name) {
                Some(found) => self.pair(frame, UnitKind::Header, (header, found), uses),
                None => {
                    let verdict = (Rule::Header, ChangeKind::Removed, Effect::Differs);
                    self.tell(frame, verdict, (&header.place, uses), || {
                        format!("The header {} was removed.", shown(&name))
                    });
                }
            }
        }
        for (name, header) in found {
            let verdict = (Rule::Header, ChangeKind::Added, Effect::None);
            self.tell(frame, verdict, (&header.place, uses), || {
                format!("There is another header, {}.", shown(&name))
            });
        }
        // Clients choose from the media types of responses.
        self.content(frame, (before, after), Effect::None, uses);
        let known = ["description", "summary", "headers", "content"];
        self.rest(frame, (before, after), &known, uses);
    }
}
