//! Operations compared, in paths, webhooks and callbacks.

use std::collections::BTreeMap;

use super::{
    ChangeKind, Rule,
    comparison::{Comparison, UnitKind},
    effects::{Effect, Uses},
    frame::{Frame, shown},
    node::{Document, Node, reference},
};
use crate::METHODS;

/// The members of an operation that are compared by themselves.
const KNOWN: [&str; 13] = [
    "summary",
    "description",
    "operationId",
    "tags",
    "externalDocs",
    "deprecated",
    "security",
    "servers",
    "parameters",
    "requestBody",
    "responses",
    "callbacks",
    "$ref",
];

/// Path items that refer to others hold together with them.
#[derive(Clone)]
pub struct Item<'d> {
    pub path: &'d str,
    pub parts: Vec<Node<'d>>,
}

impl<'d> Item<'d> {
    pub fn new(comparison: &mut Comparison<'d>, is_before: bool, path: &'d str, node: Node<'d>) -> Self {
        let document: &Document<'d> = if is_before {
            &comparison.before
        } else {
            &comparison.after
        };
        let target = reference(node.value).and_then(|text| document.target(&mut comparison.budget, text));
        let target = target.and_then(|target| document.resolve(&mut comparison.budget, target));
        if reference(node.value).is_some() && target.is_none() {
            comparison.budget.miss();
        }
        let parts = std::iter::once(node).chain(target).collect();
        Self { path, parts }
    }

    pub fn get(&self, name: &'static str) -> Option<Node<'d>> {
        self.parts.iter().find_map(|part| part.get(name))
    }

    pub fn operation(&self, method: &'static str) -> Option<Node<'d>> {
        self.get(method).filter(|operation| operation.value.is_object())
    }

    /// What names a parameter in requests: its place in the path, or its name.
    fn key(&self, parameter: &Node<'d>) -> Option<(&'d str, String)> {
        let (place, name) = (parameter.text("in")?, parameter.text("name")?);
        let key = match place {
            "header" => name.to_ascii_lowercase(),
            "path" => {
                let mut names = names_in(self.path);
                names
                    .position(|other| other == name)
                    .map_or(name.to_owned(), |index| index.to_string())
            }
            _ => name.to_owned(),
        };
        Some((place, key))
    }
}

/// The names of the parameters of a path.
pub fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0))
}

type Parameters<'d> = BTreeMap<(&'d str, String), Node<'d>>;

/// An operation and the path item that it belongs to.
pub struct Place<'o, 'd> {
    pub item: &'o Item<'d>,
    pub operation: &'o Node<'d>,
}

impl<'d> Comparison<'d> {
    /// `is_turned`: clients receive the requests.
    pub fn operation(
        &mut self,
        frame: &mut Frame<'d>,
        (before, after): (&Place<'_, 'd>, &Place<'_, 'd>),
        is_turned: bool,
    ) {
        let (uses, answers) = match is_turned {
            true => (Uses::RESPONSES, Uses::REQUESTS),
            false => (Uses::REQUESTS, Uses::RESPONSES),
        };
        let pair = (before.operation, after.operation);
        let texts = ["summary", "description", "operationId", "tags", "externalDocs"];
        self.texts(frame, pair.0, pair.1, &texts);
        self.deprecated_flag(frame, pair, uses);
        self.security(frame, pair.0, pair.1);
        self.servers(frame, pair.0, pair.1);
        self.parameters(frame, (before, after), uses);
        self.body(frame, pair, uses);
        self.responses(frame, pair, answers);
        self.callbacks(frame, pair, is_turned);
        self.rest(frame, pair, &KNOWN, Uses::ALL);
    }

    pub fn servers(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>) {
        let (former, found) = (before.get("servers"), after.get("servers"));
        let differ = match (&former, &found) {
            (Some(former), Some(found)) => self.differ(frame, (former, found), None, Uses::ALL),
            (former, found) => former.is_some() != found.is_some(),
        };
        if differ {
            self.one_or_other(
                frame,
                (former, found),
                (Rule::Server, Effect::Unknown),
                Uses::ALL,
                || "The servers are other ones.".to_owned(),
            );
        }
    }

    fn parameters_of(&mut self, place: &Place<'_, 'd>, is_before: bool) -> Parameters<'d> {
        let lists = [place.item.get("parameters"), place.operation.get("parameters")];
        let mut parameters = BTreeMap::new();
        for node in lists.iter().flatten().flat_map(Node::items) {
            let document = if is_before { &self.before } else { &self.after };
            let resolved = document.resolve(&mut self.budget, node.clone());
            let steps = 1 + place.item.path.len() / 64;
            if let Some(key) = resolved.and_then(|parameter| place.item.key(&parameter))
                && self.budget.take(steps)
            {
                parameters.insert(key, node);
            }
        }
        parameters
    }

    fn parameters(&mut self, frame: &mut Frame<'d>, (before, after): (&Place<'_, 'd>, &Place<'_, 'd>), uses: Uses) {
        let (before, mut after) = (self.parameters_of(before, true), self.parameters_of(after, false));
        for ((place, name), former) in before {
            match after.remove(&(place, name.clone())) {
                Some(found) => self.pair(frame, UnitKind::Parameter, (former, found), uses),
                None => {
                    let verdict = (Rule::Parameter, ChangeKind::Removed, Effect::Differs);
                    self.tell(frame, verdict, (&former.place, uses), || {
                        format!("The parameter {} ({place}) was removed.", shown(&name))
                    });
                }
            }
        }
        for ((place, name), found) in after {
            let resolved = self.after.resolve(&mut self.budget, found.clone());
            let effect = match resolved.is_some_and(|parameter| parameter.is_true("required")) {
                true => Effect::Narrows,
                false => Effect::None,
            };
            let verdict = (Rule::Parameter, ChangeKind::Added, effect);
            self.tell(frame, verdict, (&found.place, uses), || {
                format!("There is another parameter, {} ({place}).", shown(&name))
            });
        }
    }

    fn body(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), uses: Uses) {
        match (before.get("requestBody"), after.get("requestBody")) {
            (Some(former), Some(found)) => self.pair(frame, UnitKind::RequestBody, (former, found), uses),
            (None, Some(body)) => {
                let resolved = self.after.resolve(&mut self.budget, body.clone());
                let effect = match resolved.is_some_and(|body| body.is_true("required")) {
                    true => Effect::Narrows,
                    false => Effect::None,
                };
                let verdict = (Rule::RequestBody, ChangeKind::Added, effect);
                self.tell(frame, verdict, (&body.place, uses), || {
                    "There is a request body.".to_owned()
                });
            }
            (Some(body), None) => {
                let verdict = (Rule::RequestBody, ChangeKind::Removed, Effect::Differs);
                self.tell(frame, verdict, (&body.place, uses), || {
                    "The request body was removed.".to_owned()
                });
            }
            (None, None) => {}
        }
    }

    fn responses(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), uses: Uses) {
        let mut of = |node: &Node<'d>| -> BTreeMap<&'d str, Node<'d>> {
            let all = node.get("responses").into_iter().flat_map(|node| node.members());
            all.take_while(|_| self.budget.take(1)).collect()
        };
        let (before, mut after) = (of(before), of(after));
        for (name, former) in before {
            match after.remove(name) {
                found if name.starts_with("x-") => self.unknown_member(frame, name, (Some(former), found), uses),
                Some(found) => self.pair(frame, UnitKind::Response, (former, found), uses),
                None => {
                    // Clients wait for success; what fails no more harms nobody, except those who answer so themselves.
                    let effect = match name {
                        "default" => Effect::Unknown,
                        _ if name.starts_with('2') => Effect::Differs,
                        _ => Effect::Narrows,
                    };
                    let verdict = (Rule::Response, ChangeKind::Removed, effect);
                    self.tell(frame, verdict, (&former.place, uses), || {
                        format!("The response {} was removed.", shown(name))
                    });
                }
            }
        }
        for (name, found) in after {
            if name.starts_with("x-") {
                self.unknown_member(frame, name, (None, Some(found)), uses);
                continue;
            }
            let verdict = (Rule::Response, ChangeKind::Added, Effect::None);
            self.tell(frame, verdict, (&found.place, uses), || {
                format!("There is another response, {}.", shown(name))
            });
        }
    }

    fn callbacks(&mut self, frame: &mut Frame<'d>, (before, after): (&Node<'d>, &Node<'d>), is_turned: bool) {
        let of = |node: &Node<'d>| node.get("callbacks");
        let kind = UnitKind::Callback { is_turned: !is_turned };
        self.named(frame, (of(before), of(after)), kind);
    }

    pub fn callback(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, is_turned: bool) {
        let kind = UnitKind::PathItem { is_turned };
        self.named(frame, (Some(before.clone()), Some(after.clone())), kind);
    }

    /// Callbacks, or the path items of one.
    fn named(&mut self, frame: &mut Frame<'d>, (before, after): (Option<Node<'d>>, Option<Node<'d>>), kind: UnitKind) {
        let mut of = |node: Option<Node<'d>>| -> BTreeMap<&'d str, Node<'d>> {
            let all = node.into_iter().flat_map(|node| node.members());
            all.take_while(|_| self.budget.take(1)).collect()
        };
        let (before, mut after) = (of(before), of(after));
        for (name, former) in before {
            let found = after.remove(name);
            match (found, name.starts_with("x-")) {
                (found, true) => self.unknown_member(frame, name, (Some(former), found), Uses::ALL),
                (Some(found), false) => self.pair(frame, kind, (former, found), Uses::ALL),
                (None, false) => {
                    let verdict = (Rule::Callback, ChangeKind::Removed, Effect::Differs);
                    self.tell(frame, verdict, (&former.place, Uses::ALL), || {
                        format!("The callback {} was removed.", shown(name))
                    });
                }
            }
        }
        for (name, found) in after {
            let verdict = (Rule::Callback, ChangeKind::Added, Effect::None);
            self.tell(frame, verdict, (&found.place, Uses::ALL), || {
                format!("There is another callback, {}.", shown(name))
            });
        }
    }

    /// The path item of a callback.
    pub fn callback_item(&mut self, frame: &mut Frame<'d>, before: &Node<'d>, after: &Node<'d>, is_turned: bool) {
        let before = Item {
            path: "",
            parts: vec![before.clone()],
        };
        let after = Item {
            path: "",
            parts: vec![after.clone()],
        };
        self.item(frame, &before, &after);
        for method in METHODS {
            let pair = (before.operation(method), after.operation(method));
            if let (Some(former), Some(found)) = &pair {
                let before = Place {
                    item: &before,
                    operation: former,
                };
                let after = Place {
                    item: &after,
                    operation: found,
                };
                self.operation(frame, (&before, &after), is_turned);
                continue;
            }
            let effect = match &pair {
                (Some(_), None) => Effect::Differs,
                _ => Effect::None,
            };
            self.one_or_other(frame, pair, (Rule::Callback, effect), Uses::ALL, || {
                format!("The operation `{method}` came or went.")
            });
        }
    }

    /// What a path item has besides operations and their parameters.
    pub fn item(&mut self, frame: &mut Frame<'d>, before: &Item<'d>, after: &Item<'d>) {
        const KNOWN: [&str; 13] = [
            "summary",
            "description",
            "servers",
            "parameters",
            "$ref",
            "get",
            "put",
            "post",
            "delete",
            "options",
            "head",
            "patch",
            "trace",
        ];
        let absent = (before.parts.last(), after.parts.last());
        if let ([former], [found]) | ([_, former], [_, found]) = (before.parts.as_slice(), after.parts.as_slice()) {
            self.texts(frame, former, found, &["summary", "description"]);
            self.servers(frame, former, found);
            self.rest(frame, (former, found), &KNOWN, Uses::ALL);
        } else if let (Some(former), Some(found)) = absent {
            // One refers to another path item, and one does not.
            self.servers(frame, former, found);
            self.rest(frame, (former, found), &KNOWN, Uses::ALL);
        }
    }
}
