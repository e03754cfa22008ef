//! What a schema asks for itself, without the schemas in it.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Number, Value};

use super::{Keyword, Views, view::is_open};
use crate::changes::{
    ChangeKind::{Added, Changed, Removed},
    Rule,
    comparison::Comparison,
    effects::{Effect, Uses},
    frame::{Frame, shown},
    node::{Node, reference},
};

/// Limits that ask for nothing if they are zero.
const AT_LEAST_NOTHING: [&str; 3] = ["minLength", "minItems", "minProperties"];

impl<'d> Comparison<'d> {
    pub(super) fn own(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        match (&views.before.never, &views.after.never) {
            (None, Some(never)) => self.tell_schema(frame, (Rule::Type, Changed, Effect::Narrows), never, uses, || {
                "Nothing is allowed.".to_owned()
            }),
            (Some(never), None) => self.tell_schema(frame, (Rule::Type, Changed, Effect::Widens), never, uses, || {
                "Something is allowed, for the first time.".to_owned()
            }),
            (Some(_), Some(_)) => return,
            (None, None) => {}
        }
        let names = views.names();
        for name in &names {
            if !self.budget.take(1) {
                return;
            }
            match Keyword::of(name) {
                Keyword::Type => self.types(frame, views, uses),
                // `const` alone stands for both.
                Keyword::Values if *name == "const" || !names.contains("const") => self.values(frame, views, uses),
                Keyword::Upper => self.limit(frame, views, name, Ordering::Less, uses),
                Keyword::Lower => self.limit(frame, views, name, Ordering::Greater, uses),
                Keyword::Exact => self.exact(frame, views, name, uses),
                Keyword::Required => self.required(frame, views, uses),
                Keyword::Properties => self.properties(frame, views, uses),
                Keyword::Conditions => self.conditions(frame, views, name, uses),
                Keyword::DependentRequired => self.dependent_required(frame, views, name, uses),
                Keyword::Condition => self.condition(frame, views, name, uses),
                Keyword::Tuple => self.tuple(frame, views, name, uses),
                Keyword::Direction => self.direction(frame, views, name, uses),
                _ => {}
            }
        }
    }

    fn types(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        let (before, after) = (views.before.types(), views.after.types());
        if before == after {
            return;
        }
        let effect = match (&before, &after) {
            (Some(before), Some(after)) => effect_of(after.is_subset(before), after.is_superset(before)),
            (None, _) => Effect::Narrows,
            (_, None) => Effect::Widens,
        };
        let list = |types: Option<BTreeSet<&str>>| match types {
            None => "any".to_owned(),
            Some(types) => {
                let is_implied = |name: &str| name == "integer" && types.contains("number");
                let names: Vec<_> = types
                    .iter()
                    .filter(|name| !is_implied(name))
                    .map(|name| shown(name))
                    .collect();
                names.join(" or ")
            }
        };
        self.tell_keyword(frame, views, "type", (Rule::Type, effect), uses, || {
            format!("The type was {}, and is {}.", list(before), list(after))
        });
    }

    fn values(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        let before = views.before.values(&mut self.budget);
        let after = views.after.values(&mut self.budget);
        let name = |view: &super::View<'d>| if view.first("enum").is_some() { "enum" } else { "const" };
        match (before, after) {
            (Some(before), Some(after)) => {
                for (json, node) in before.iter().filter(|(json, _)| !after.contains_key(*json)) {
                    self.tell_schema(frame, (Rule::Enum, Removed, Effect::Narrows), node, uses, || {
                        format!("The value {} is not allowed any more.", shown(json))
                    });
                }
                for (json, node) in after.iter().filter(|(json, _)| !before.contains_key(*json)) {
                    self.tell_schema(frame, (Rule::Enum, Added, Effect::Widens), node, uses, || {
                        format!("There is another value, {}.", shown(json))
                    });
                }
            }
            (None, Some(_)) => {
                let keyword = name(&views.after);
                self.tell_keyword(frame, views, keyword, (Rule::Enum, Effect::Narrows), uses, || {
                    "Only some values are allowed.".to_owned()
                });
            }
            (Some(_), None) => {
                let keyword = name(&views.before);
                self.tell_keyword(frame, views, keyword, (Rule::Enum, Effect::Widens), uses, || {
                    "All values are allowed.".to_owned()
                });
            }
            (None, None) => {}
        }
    }

    /// `tighter`: how a limit compares to one that allows more.
    fn limit(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, tighter: Ordering, uses: Uses) {
        let strongest = |nodes: &[Node<'d>]| {
            let numbers = nodes.iter().map(|node| node.value.as_number());
            let numbers: Option<Vec<&Number>> = numbers.collect();
            let strongest = numbers?
                .into_iter()
                .reduce(|one, other| match compared(other, one) == tighter {
                    true => other,
                    false => one,
                });
            // Nothing is shorter than nothing.
            let asks = |limit: &&Number| !(AT_LEAST_NOTHING.contains(&name) && limit.as_u64() == Some(0));
            Some(strongest.filter(asks))
        };
        let (before, after) = (strongest(views.before.get(name)), strongest(views.after.get(name)));
        let effect = match (before, after) {
            (Some(before), Some(after)) => match (before, after) {
                (None, None) => return,
                (None, Some(_)) => Effect::Narrows,
                (Some(_), None) => Effect::Widens,
                (Some(before), Some(after)) => match compared(after, before) {
                    Ordering::Equal => return,
                    order if order == tighter => Effect::Narrows,
                    _ => Effect::Widens,
                },
            },
            // A limit that is no number.
            _ => return self.unknown_keyword(frame, views, name, uses),
        };
        let text = |limit: Option<Option<&Number>>| match limit.flatten() {
            Some(limit) => shown(&limit.to_string()),
            None => "absent".to_owned(),
        };
        self.tell_keyword(frame, views, name, (Rule::Limit, effect), uses, || {
            format!("`{name}` was {}, and is {}.", text(before), text(after))
        });
    }

    fn exact(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        let before = views.before.texts(&mut self.budget, name);
        let after = views.after.texts(&mut self.budget, name);
        if before == after {
            return;
        }
        // The more there are, the fewer values have all of them.
        let effect = effect_of(after.is_superset(&before), after.is_subset(&before));
        let text = |texts: BTreeSet<String>| match texts.is_empty() {
            true => "absent".to_owned(),
            false => texts.iter().map(|text| shown(text)).collect::<Vec<_>>().join(" and "),
        };
        self.tell_keyword(frame, views, name, (Rule::Limit, effect), uses, || {
            format!("`{name}` was {}, and is {}.", text(before), text(after))
        });
    }

    fn required(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        let before = views.before.names(&mut self.budget, "required");
        let after = views.after.names(&mut self.budget, "required");
        let old = views.before.children(&mut self.budget, "properties");
        let new = views.after.children(&mut self.budget, "properties");
        for (name, node) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
            // A new property that is required is told as such.
            if old.contains_key(name) || !new.contains_key(name) {
                let uses = self.directions(new.get(name), false, uses);
                self.tell_schema(frame, (Rule::Required, Added, Effect::Narrows), node, uses, || {
                    format!("{} is required.", shown(name))
                });
            }
        }
        for (name, node) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
            if new.contains_key(name) || !old.contains_key(name) {
                let uses = self.directions(old.get(name), true, uses);
                self.tell_schema(frame, (Rule::Required, Removed, Effect::Widens), node, uses, || {
                    format!("{} is not required any more.", shown(name))
                });
            }
        }
    }

    /// The uses that a property has: those of only one direction have no other.
    pub fn directions(&mut self, property: Option<&Vec<Node<'d>>>, is_before: bool, uses: Uses) -> Uses {
        let mut uses = uses;
        for node in property.into_iter().flatten() {
            let document = if is_before { &self.before } else { &self.after };
            let target = reference(node.value).and_then(|text| document.target(&mut self.budget, text));
            let is = |name: &str| node.is_true(name) || target.as_ref().is_some_and(|target| target.is_true(name));
            if is("readOnly") {
                uses = uses.without_requests();
            }
            if is("writeOnly") {
                uses = uses.without_responses();
            }
        }
        uses
    }

    fn properties(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        let before = views.before.children(&mut self.budget, "properties");
        let after = views.after.children(&mut self.budget, "properties");
        let required = views.after.names(&mut self.budget, "required");
        let was_closed = ["additionalProperties", "unevaluatedProperties"];
        let was_closed = was_closed.iter().any(|name| !is_open(views.before.get(name)));
        for (name, nodes) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
            let uses = self.directions(Some(nodes), true, uses);
            let Some(node) = nodes.first() else { continue };
            self.tell_schema(frame, (Rule::Property, Removed, Effect::Differs), node, uses, || {
                format!("The property {} was removed.", shown(name))
            });
        }
        for (name, nodes) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
            let uses = self.directions(Some(nodes), false, uses);
            let Some(node) = nodes.first() else { continue };
            let (effect, more) = match (required.contains_key(name), was_closed) {
                (true, true) => (Effect::Differs, ", which is required"),
                (true, false) => (Effect::Narrows, ", which is required"),
                (false, true) => (Effect::Widens, ""),
                (false, false) => (Effect::None, ""),
            };
            self.tell_schema(frame, (Rule::Property, Added, effect), node, uses, || {
                format!("There is another property, {}{more}.", shown(name))
            });
        }
    }

    /// Schemas by names: each one asks for more.
    fn conditions(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, keyword: &str, uses: Uses) {
        let before = views.before.children(&mut self.budget, keyword);
        let after = views.after.children(&mut self.budget, keyword);
        self.come_and_go(frame, keyword, (before, after), uses);
    }

    fn dependent_required(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, keyword: &str, uses: Uses) {
        let mut names = |view: &super::View<'d>| {
            let mut names: BTreeMap<String, Vec<Node<'d>>> = BTreeMap::new();
            for (name, lists) in view.children(&mut self.budget, keyword) {
                for item in lists.iter().flat_map(Node::items) {
                    let text = item.value.as_str().unwrap_or_default();
                    if self.budget.take(1 + (name.len() + text.len()) / 64) {
                        names.entry(format!("{name}: {text}")).or_default().push(item);
                    }
                }
            }
            names
        };
        let (before, after) = (names(&views.before), names(&views.after));
        self.come_and_go(frame, keyword, (before, after), uses);
    }

    fn come_and_go<K: Ord + AsRef<str>>(
        &mut self,
        frame: &mut Frame<'d>,
        keyword: &str,
        (before, after): (BTreeMap<K, Vec<Node<'d>>>, BTreeMap<K, Vec<Node<'d>>>),
        uses: Uses,
    ) {
        for (name, nodes) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
            let Some(node) = nodes.first() else { continue };
            self.tell_schema(frame, (Rule::Limit, Added, Effect::Narrows), node, uses, || {
                format!("`{keyword}` has another condition, {}.", shown(name.as_ref()))
            });
        }
        for (name, nodes) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
            let Some(node) = nodes.first() else { continue };
            self.tell_schema(frame, (Rule::Limit, Removed, Effect::Widens), node, uses, || {
                format!("`{keyword}` has no condition {} any more.", shown(name.as_ref()))
            });
        }
    }

    fn condition(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        let effect = match (is_open(views.before.get(name)), is_open(views.after.get(name))) {
            (true, false) => Effect::Narrows,
            (false, true) => Effect::Widens,
            _ => return,
        };
        let is_stricter = effect == Effect::Narrows;
        self.tell_keyword(frame, views, name, (Rule::Limit, effect), uses, || match is_stricter {
            true => format!("`{name}` asks for more than before."),
            false => format!("`{name}` asks for nothing any more."),
        });
    }

    fn tuple(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        let length = |nodes: &[Node<'d>]| nodes.iter().map(|node| node.items().count()).max().unwrap_or_default();
        let (before, after) = (length(views.before.get(name)), length(views.after.get(name)));
        if before != after && self.budget.take(before + after) {
            self.tell_keyword(frame, views, name, (Rule::Limit, Effect::Differs), uses, || {
                format!("`{name}` had {before} schemas, and has {after}.")
            });
        }
    }

    /// What was for both directions is for one, or back.
    fn direction(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        let effect = match (views.before.is_true(name), views.after.is_true(name)) {
            (false, true) => Effect::Differs,
            (true, false) => Effect::Unknown,
            _ => return,
        };
        let uses = match name {
            "readOnly" => uses.without_responses(),
            _ => uses.without_requests(),
        };
        let is_set = effect == Effect::Differs;
        self.tell_keyword(frame, views, name, (Rule::Limit, effect), uses, || match is_set {
            true => format!("`{name}` is set."),
            false => format!("`{name}` is not set any more."),
        });
    }
}

fn effect_of(is_narrower: bool, is_wider: bool) -> Effect {
    match (is_narrower, is_wider) {
        (true, false) => Effect::Narrows,
        (false, true) => Effect::Widens,
        _ => Effect::Differs,
    }
}

/// Whole numbers are compared as such, because others lose digits.
fn compared(one: &Number, other: &Number) -> Ordering {
    let whole = |number: &Number| {
        let signed = number.as_i64().map(i128::from);
        signed.or_else(|| number.as_u64().map(i128::from))
    };
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

/// A value of a keyword, for messages.
pub fn shown_value(value: Option<&Value>) -> String {
    value.map_or("absent".to_owned(), |value| shown(&value.to_string()))
}
